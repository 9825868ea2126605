import { describe, expect, it } from 'vitest';
import { compileRoute } from '../../../../src/host/http/routing/route-matcher.ts';
import { createRoute, findRoute, sortRoutes } from '../../../../src/host/http/routing/router.ts';

const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('compileRoute', () => {
  it.each([
    ['', '/', {}],
    ['api/items', '/API/Items', {}],
    ['api/items', '/api/items/', {}],
    ['api/{a}/x/{b}', '/api/1/x/2', { a: '1', b: '2' }],
    ['api/{a?}', '/api', {}],
    ['api/{a?}', '/api/1', { a: '1' }],
    ['api/{a=one}', '/api', { a: 'one' }],
    ['api/{a:int=5}', '/api', { a: '5' }],
    ['api/{*rest}', '/api/a/b/c', { rest: 'a/b/c' }],
    ['api/{*rest}', '/api', {}],
    ['{name}.{ext}', '/report.v1.csv', { name: 'report', ext: 'v1.csv' }],
    ['{name}.{ext?}', '/report', { name: 'report' }],
    ['{name}.{ext?}', '/report.csv', { name: 'report', ext: 'csv' }],
    ['api/{*rest}', '/api/', {}],
    ['{a}', '/a%20b%2Fc', { a: 'a b%2Fc' }],
    ['api/items', '/api/it%65ms', {}],
    ['{a}', '/50%', { a: '50%' }],
    ['{id:int:min(5)}', '/7', { id: '7' }],
    ['{id:guid}', `/${GUID}`, { id: GUID }],
    ['{a:regex(^x{{2,3}}/?$)}', '/xxx', { a: 'xxx' }],
    ['{a:length(2,3)}', '/ab', { a: 'ab' }],
  ])('%s matches %s', (template, path, expected) => expect(compileRoute(template)(path)).toEqual(expected));

  it.each([
    ['api/items', '/api/item'],
    ['api/{a}', '/api'],
    ['{a=1}/x', '/x'],
    ['{a}/{b:int=5}/x', '/1/x'],
    ['api/{a}', '/api/1/2'],
    ['{id:int}', '/x'],
    ['{id:int}', '/2147483648'],
    ['{id:int:min(5)}', '/4'],
    ['{id:range(1,5)}', '/6'],
    ['{id:guid}', '/1234'],
    ['{a:alpha}', '/a1'],
    ['{a:bool}', '/yes'],
    ['{a:length(2)}', '/abc'],
    ['{a:minlength(2)}', '/a'],
    ['{a:maxlength(2)}', '/abc'],
    ['{a:regex(^x{{2,3}}$)}', '/x'],
    ['{d:datetime}', '/soon'],
  ])('%s does not match %s', (template, path) => expect(compileRoute(template)(path)).toBeUndefined());

  it('refuses an unknown constraint and an unclosed brace', () => {
    expect(() => compileRoute('{a:color}')).toThrow(/constraint 'color' is unknown/);
    expect(() => compileRoute('a/{b')).toThrow(/expected '}'/);
  });
});

function route(name: string, options: Record<string, unknown>) {
  const bindings = { t: { type: 'httpTrigger', direction: 'in' as const, ...options } };
  return createRoute({ id: name, metadata: { name, bindings }, callback: () => undefined }, 't', 'api');
}

describe('findRoute', () => {
  const sorted = sortRoutes([
    route('Beta', { route: 'x/special' }),
    route('alpha', { route: 'x/{any}' }),
    route('gamma', { route: 'x/{any}', methods: ['delete'] }),
  ]);

  it('returns the first match by function name, not the most specific one', () => {
    expect(findRoute(sorted, 'GET', '/api/x/special')?.route.fn.metadata.name).toBe('alpha');
  });

  it('continues if the method does not match', () => {
    expect(findRoute(sorted, 'DELETE', '/api/x/1')?.route.fn.metadata.name).toBe('gamma');
    expect(findRoute(sorted, 'PUT', '/api/x/1')).toBeUndefined();
  });
});

describe('createRoute', () => {
  it('uses the function name if there is no route, and GET and POST if there are no methods', () => {
    expect(route('hello', {})).toMatchObject({
      template: 'api/hello',
      methods: ['GET', 'POST'],
      authLevel: 'anonymous',
    });
  });

  it('refuses a route of the host itself', () => {
    const bindings = { t: { type: 'httpTrigger', direction: 'in' as const, route: 'administer' } };
    const fn = { id: 'f', metadata: { name: 'f', bindings }, callback: () => undefined };
    expect(() => createRoute(fn, 't', 'api')).toThrow(/conflicts with one or more built in routes/);
  });

  it.each([
    [{ authLevel: 'system' }, "authLevel: expected anonymous, function or admin, got 'system'."],
    [{ route: 'a/{b:prime}' }, /^Route constraint 'prime' is unknown/],
  ])('refuses the trigger %j', (options, message) => {
    const bindings = { t: { type: 'httpTrigger', direction: 'in' as const, ...options } };
    const fn = { id: 'f', metadata: { name: 'f', bindings }, callback: () => undefined };
    expect(() => createRoute(fn, 't', 'api')).toThrow(message);
  });
});
