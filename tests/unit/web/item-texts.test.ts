import { describe, expect, it } from 'vitest';
import { pictureOf, resultText, sizeText } from '../../../web/batch/items/item-texts.ts';
import type { ImageRow } from '../../../workloads/media/make-thumbnails.ts';

const thumbnail = { name: 'a.jpg/160.webp', width: 160, height: 107, bytes: 4_210 };
const picture: ImageRow = {
  source: 'a.jpg',
  format: 'jpeg',
  width: 1_920,
  height: 1_280,
  bytes: 310_000,
  thumbnails: [thumbnail],
};

describe('a result', () => {
  it.each([
    [undefined, ''],
    [null, 'null'],
    [{ total: '12.50' }, '{"total":"12.50"}'],
    ['x'.repeat(500), `"${'x'.repeat(159)} …`],
  ])('reads in one line', (result, text) => expect(resultText(result)).toBe(text));

  it('is a picture if it has the complete shape of one', () => {
    expect(pictureOf(picture)).toBe(picture);
    expect(pictureOf({ ...picture, thumbnails: [] })?.thumbnails).toEqual([]);
  });

  it.each([
    [undefined],
    [null],
    ['a.jpg'],
    [{ ...picture, thumbnails: undefined }],
    [{ ...picture, thumbnails: [null] }],
    [{ ...picture, thumbnails: [{ ...thumbnail, bytes: '4 kB' }] }],
    [{ ...picture, width: undefined }],
  ])('of any other shape is not a picture: %j', (result) => expect(pictureOf(result)).toBeUndefined());
});

it('a size has both sides and the bytes', () => expect(sizeText(picture)).toBe('1,920 × 1,280, 310 kB'));
