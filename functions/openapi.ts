import { app } from '@azure/functions';
import { json } from '../shared/http/edge/answers.ts';
import { openApiDocument } from '../shared/http/openapi/openapi.ts';
import { answering } from './app.ts';

app.http('openapi', {
  route: 'openapi.json',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: answering(async () => json(openApiDocument())),
});
