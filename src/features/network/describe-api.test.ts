// Tests of the API that is made out of requests: endpoints with parameters, operations, and types.
import { describe, expect, it } from 'vitest';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { captured } from '../../../tests/network/captured.ts';
import { describeApi } from './describe-api.ts';
import { buildTemplate } from './endpoints.ts';

const get = (url: string, body: unknown, over: Partial<CapturedRequest> = {}): CapturedRequest =>
  captured({ url, body: { text: JSON.stringify(body) }, ...over });

describe('the parts of a path that change', () => {
  it.each([
    ['/users/12', '/users/{userId}'],
    ['/users/12/orders/7', '/users/{userId}/orders/{orderId}'],
    ['/a/3f2a9c0b-1d4e-4f60-8a7b-3f2a9c0b1d4e', '/a/{aId}'],
    ['/12', '/{id}'],
    ['/v1/users', '/v1/users'],
    ['/posts/2024-review', '/posts/2024-review'],
  ])('%s -> %s', (path, expected) => {
    expect(buildTemplate(path).path).toBe(expected);
  });
});

describe('the description', () => {
  it('merges requests of one endpoint into one operation', () => {
    const requests = [
      get('https://a.test/users/1?full=true', { id: 1, name: 'Ada' }),
      get('https://a.test/users/2', { id: 2, name: null, tags: ['x'] }),
      get('https://a.test/users/9', { error: 'none' }, { status: 404 }),
    ];
    const { openapi } = describeApi(requests, 'openapi');
    const { typescript } = describeApi(requests, 'typescript');
    expect(openapi).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://a.test' }],
      paths: {
        '/users/{userId}': {
          get: {
            parameters: [
              { name: 'userId', in: 'path', required: true, schema: { type: 'integer' } },
              { name: 'full', in: 'query', required: false, schema: { type: 'boolean' } },
            ],
            responses: {
              200: {
                content: {
                  'application/json': {
                    schema: {
                      required: ['id', 'name'],
                      properties: { name: { type: ['string', 'null'] } },
                    },
                  },
                },
              },
              404: {
                content: {
                  'application/json': { schema: { properties: { error: { type: 'string' } } } },
                },
              },
            },
          },
        },
      },
    });
    expect(typescript).toMatchInlineSnapshot(`
      "export type GetUsersUserIdResponse = {
        id: number;
        name: string | null;
        tags?: string[];
      };

      export type GetUsersUserIdError404 = {
        error: string;
      };"
    `);
  });

  it('contains the shape of JSON that the server declared as another type', () => {
    const { openapi } = describeApi(
      [get('https://a.test/slow', { a: 1 }, { contentType: '', responseHeaders: {} })],
      'openapi',
    );
    expect(openapi).toMatchObject({
      paths: {
        '/slow': {
          get: {
            responses: {
              200: { content: { 'application/json': { schema: { properties: { a: {} } } } } },
            },
          },
        },
      },
    });
  });

  it('contains the request bodies, and the server of a path if it differs', () => {
    const { openapi } = describeApi(
      [
        get('https://a.test/x', {}),
        get(
          'https://b.test/y',
          {},
          {
            method: 'POST',
            requestHeaders: { 'content-type': 'application/json' },
            requestBody: { text: '{"a":1}' },
          },
        ),
      ],
      'openapi',
    );
    expect(openapi).toMatchObject({
      paths: {
        '/y': {
          post: {
            servers: [{ url: 'https://b.test' }],
            requestBody: {
              content: {
                'application/json': { schema: { properties: { a: { type: 'integer' } } } },
              },
            },
          },
        },
      },
    });
  });

  it('lists GraphQL operations instead of one endpoint for them all, each of a batch for itself', () => {
    const operation = (sent: unknown, answer: unknown): CapturedRequest =>
      get('https://a.test/graphql', answer, {
        method: 'POST',
        requestHeaders: { 'content-type': 'application/json' },
        requestBody: { text: JSON.stringify(sent) },
      });
    const requests = [
      operation(
        {
          operationName: 'User',
          query: 'query User($id: ID) { user { name } }',
          variables: { id: 1 },
        },
        { data: { user: { name: 'Ada' } } },
      ),
      operation(
        [{ query: 'mutation Add { add }' }, { operationName: 'User', variables: { id: 2 } }],
        [{ data: { add: true } }, { data: { user: null } }],
      ),
    ];
    const description = describeApi(requests, 'openapi');
    expect(description.openapi).toBeUndefined();
    expect(description.graphql).toEqual([
      {
        operation: 'User',
        type: 'query',
        endpoint: 'POST https://a.test/graphql',
        calls: 2,
        query: 'query User($id: ID) { user { name } }',
      },
      {
        operation: 'Add',
        type: 'mutation',
        endpoint: 'POST https://a.test/graphql',
        calls: 1,
        query: 'mutation Add { add }',
      },
    ]);
    expect(description.typescript).toBeUndefined();
    const { typescript } = describeApi(requests, 'typescript');
    expect(typescript).toContain(
      'export type UserData = {\n  user: {\n    name: string;\n  } | null;\n};',
    );
    expect(typescript).toContain('export type UserVariables = {\n  id: number;\n};');
  });

  it('is a single document if a site has REST endpoints and GraphQL operations', () => {
    const query = { operationName: 'User', query: 'query User { user }' };
    const requests = [
      get('https://a.test/x', { a: 1 }),
      get(
        'https://a.test/graphql',
        { data: { user: 1 } },
        {
          method: 'POST',
          requestHeaders: { 'content-type': 'application/json' },
          requestBody: { text: JSON.stringify(query) },
        },
      ),
    ];
    const described = describeApi(requests, 'openapi');
    expect(Object.keys(described)).toEqual(['requests', 'openapi']);
    expect(described.openapi).toMatchObject({
      paths: { '/x': {} },
      'x-graphql-operations': [{ operation: 'User' }],
    });
    expect(Object.keys(describeApi(requests, 'typescript'))).toEqual(['requests', 'typescript']);
  });
});
