import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { computing } from '#test/support/time.ts';
import { emitBody, emitField, neutralBody, translatorOf } from '#vocabulary/body.ts';
import { fieldWords, fieldWordsOfOperation, type Pair, valueWords } from '#vocabulary/words.ts';
import { generate } from './generate.ts';
import { random } from './random.ts';

type Schema = { [keyword: string]: unknown };
type Operation = { responses: Record<string, Schema | null>; body?: Schema; parameters: { name: string; schema: Schema }[] };
const { schemas, operations }: { schemas: Record<string, Schema>; operations: Record<string, Operation> } = JSON.parse(
  readFileSync(new URL('../spec/public-description.json', import.meta.url), 'utf8'),
);
const resolve = (reference: string) => schemas[reference.replace('#/schemas/', '')];

const App = Type.Object({ id: Type.Integer(), name: Type.String() });
const Issue = Type.Object({
  title: Type.String(),
  performed_via_service_app: Nullable(App),
  labels: Type.Array(Type.Object({ name: Type.String() })),
  created_at: Timestamp,
});
const Runner = Type.Object({
  name: Type.String(),
  image: Type.Object({ id: Type.String(), source: OneOf(['service', 'partner', 'custom']) }),
});

test('declared fields and closed values are exchanged, in both directions', () => {
  const issue = { title: 'a', performed_via_service_app: { id: 1, name: 'b' }, labels: [], created_at: '2026-01-02T03:04:05Z' };
  const { performed_via_service_app, ...rest } = issue;
  expect(emitBody('github', [issue], Type.Array(Issue))).toEqual([
    { ...rest, performed_via_github_app: performed_via_service_app },
  ]);
  expect(emitBody('service', issue, Issue)).toBe(issue);
  expect(neutralBody({ name: 'x', image: { id: 'y', source: 'github' } }, Runner)).toEqual({
    name: 'x',
    image: { id: 'y', source: 'service' },
  });
  expect(neutralBody({ image: { source: 'service' } }, Runner)).toEqual({ image: { source: 'service' } });
});

test("a user's text stays, whatever it says", () => {
  const issue = {
    title: 'performed_via_service_app',
    performed_via_service_app: null,
    labels: [{ name: 'assistant' }],
    created_at: 'service',
  };
  expect(emitBody('github', issue, Issue)).toEqual({
    title: 'performed_via_service_app',
    performed_via_github_app: null,
    labels: [{ name: 'assistant' }],
    created_at: 'service',
  });
  const runner = { name: 'github', image: { id: 'github', source: 'github' } };
  expect(neutralBody(runner, Runner)).toEqual({ name: 'github', image: { id: 'github', source: 'service' } });
});

test('names that are data stay, except permissions of the catalogue', () => {
  const Free = Type.Object({
    properties: Type.Record(Type.String(), Type.String()),
    source: Type.String(),
    permissions: Type.Record(Type.String(), Type.String()),
  });
  const value = {
    properties: { assistant: 'service', dependency_bot_secrets: 'x' },
    source: 'service',
    permissions: { organization_webhooks: 'read', contents: 'organization_webhooks' },
  };
  expect(emitBody('github', value, Free)).toEqual({
    properties: { assistant: 'service', dependency_bot_secrets: 'x' },
    source: 'service',
    permissions: { organization_hooks: 'read', contents: 'organization_webhooks' },
  });
});

test('a free name that JavaScript gives a meaning to stays a field', () => {
  const Free = Type.Object({ permissions: Type.Record(Type.String(), Type.String()) });
  const value = { permissions: JSON.parse('{"__proto__": "read", "organization_webhooks": "read"}') };
  const emitted = JSON.stringify(emitBody('github', value, Free));
  expect(emitted).toBe('{"permissions":{"__proto__":"read","organization_hooks":"read"}}');
});

test('where a value may also be free, nothing in it is exchanged', () => {
  const Loose = Type.Object({
    data: Type.Union([Type.Object({ assistant: Type.String() }), Type.Record(Type.String(), Type.String())]),
  });
  expect(translatorOf(Loose)).toBeUndefined();
  expect(translatorOf(Type.Object({ source: Type.Union([Type.Literal('service'), Type.String()]) }))).toBeUndefined();
  expect(
    emitBody('github', { source: 'service' }, Type.Object({ source: Type.Union([Type.Literal('service'), Type.Null()]) })),
  ).toEqual({ source: 'github' });
});

test('conditions beside declared fields do not hide them', () => {
  const schema = {
    type: 'object',
    properties: { service_owned_allowed: { type: 'boolean' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  };
  expect(emitBody('github', { service_owned_allowed: true }, schema)).toEqual({ github_owned_allowed: true });
});

test('a declared field is not taken for one of the free names beside it', () => {
  const schema = {
    type: 'object',
    properties: { kept: { type: 'object' } },
    additionalProperties: { type: 'object', properties: { assistant: { type: 'string' } } },
  };
  const value = { kept: { assistant: 'a' }, other: { assistant: 'b' } };
  expect(emitBody('github', value, schema)).toEqual({ kept: { assistant: 'a' }, other: { copilot: 'b' } });
});

test('the neutral word holds where both are given', () => {
  const Settings = Type.Object({ service_owned_allowed: Type.Boolean() });
  expect(neutralBody({ service_owned_allowed: false, github_owned_allowed: true }, Settings)).toEqual({
    service_owned_allowed: false,
  });
  expect(neutralBody({ github_owned_allowed: true, other: 1 }, Settings)).toEqual({ service_owned_allowed: true, other: 1 });
});

test('a body of another shape than the schema passes unchanged, for the validation to refuse', () => {
  for (const value of [null, 1, 'service', [], [[{ image: 'github' }]]]) expect(neutralBody(value, Runner)).toEqual(value);
});

test('a schema without such words has no translator, and one with them has one for good', () => {
  expect(translatorOf(App)).toBeUndefined();
  expect(translatorOf(Issue)).toBe(translatorOf(Issue));
});

test('a schema that contains itself is translated to its depth', () => {
  const Tree = {
    $defs: { Tree: { type: 'object', properties: { assistant: { type: 'string' }, inner: { $ref: '#/$defs/Tree' } } } },
    $ref: '#/$defs/Tree',
  };
  expect(emitBody('github', { assistant: 'a', inner: { assistant: 'b' } }, Tree)).toEqual({
    copilot: 'a',
    inner: { copilot: 'b' },
  });
});

test('a word of one operation is exchanged there alone', () => {
  const List = Type.Object({ total_count: Type.Integer(), image_versions: Type.Array(App) });
  expect(emitBody('github', { total_count: 0, image_versions: [] }, List, 'actions/list-custom-images-for-org')).toEqual({
    total_count: 0,
    images: [],
  });
  expect(
    emitBody('github', { total_count: 0, image_versions: [] }, List, 'actions/list-custom-image-versions-for-org'),
  ).toHaveProperty('image_versions');
});

test('errors name fields in the words of the vocabulary', () => {
  expect(emitField('github', 'settings.registry_a_oidc_provider_name')).toBe('settings.jfrog_oidc_provider_name');
  expect(emitField('service', 'service_owned_allowed')).toBe('service_owned_allowed');
});

test('every vendor word of the public description stands in the table', () => {
  const product = /github|copilot|dependabot|ghsa|jfrog|azure|gcp|cloudsmith|oidc_aws/i;
  const vendorsOf = (pairs: readonly Pair[]) => new Set(pairs.map(([, vendor]) => vendor));
  const fields = vendorsOf(fieldWords);
  const missing = new Set<string>();
  const look = (schema: unknown, field: string): void => {
    if (Array.isArray(schema)) for (const part of schema) look(part, field);
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
    for (const [keyword, inner] of Object.entries(schema)) {
      if (keyword === 'properties') {
        for (const [name, property] of Object.entries(inner)) {
          if (product.test(name) && !fields.has(name)) missing.add(name);
          look(property, name);
        }
      } else if (keyword === 'enum' && Array.isArray(inner)) {
        const known = vendorsOf(valueWords[field] ?? []);
        for (const text of inner) if (product.test(String(text)) && !known.has(text)) missing.add(`${field}=${text}`);
      } else look(inner, field);
    }
  };
  look(Object.values(schemas), '');
  for (const { responses, body, parameters } of Object.values(operations)) {
    look([responses, body], '');
    for (const { name, schema } of parameters) look(schema, name);
  }
  expect([...missing]).toEqual([]);
});

test('no word stands twice on a side, and no neutral word is a vendor word elsewhere', () => {
  for (const pairs of [fieldWords, ...Object.values(valueWords), ...Object.values(fieldWordsOfOperation)]) {
    expect(new Set(pairs.map(([neutral]) => neutral)).size).toBe(pairs.length);
    expect(new Set(pairs.map(([, vendor]) => vendor)).size).toBe(pairs.length);
    expect(pairs.filter(([neutral]) => pairs.some(([, vendor]) => vendor === neutral))).toEqual([]);
    for (const [neutral] of pairs) expect(neutral).not.toMatch(/github|copilot|dependabot|jfrog|azure/i);
  }
});

const dangerous = [
  'copilot',
  'github',
  'service',
  'assistant',
  'GHSA',
  'oidc_azure',
  'oidc_cloud_a',
  'copilot_code_review',
  'performed_via_service_app',
];

test('generated replies of every operation survive the way there and back, and no free text in them changes', () => {
  let exchanged = 0;
  for (const [operation, { responses }] of Object.entries(operations)) {
    for (const [status, schema] of Object.entries(responses)) {
      if (!schema) continue;
      const translator = translatorOf(schema, { words: 'vendor', operation, resolve });
      for (let seed = 0; seed < 6; seed++) {
        const makes = (text: (at: number) => string) => {
          const pick = random(seed);
          let at = 0;
          return generate(schema, { schemas, pick, text: () => text(at++), name: () => 'copilot' });
        };
        const value = makes((at) => dangerous[at % dangerous.length] ?? '');
        if (!translator) continue;
        const neutral = translator.toNeutral(value);
        if (JSON.stringify(neutral) !== JSON.stringify(value)) exchanged++;
        expect(translator.toVendor(neutral), `${operation} ${status}`).toEqual(value);
        const marked = translator.toNeutral(makes((at) => `free ${at}`));
        expect(fill(marked)).toEqual(neutral);
      }
    }
  }
  expect(exchanged).toBeGreaterThan(100);
});

/** Puts the dangerous texts where the marks stand. */
function fill(value: unknown): unknown {
  if (typeof value === 'string') return /^free \d+$/.test(value) ? dangerous[Number(value.slice(5)) % dangerous.length] : value;
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
}

test('exchanging a page of issues costs little', () => {
  const issue = { title: 'a', performed_via_service_app: null, labels: [{ name: 'b' }], created_at: '2026-01-02T03:04:05Z' };
  const page = Array.from({ length: 100 }, () => issue);
  const List = Type.Array(Issue);
  emitBody('github', page, List);
  const emitMany = (): void => {
    for (let i = 0; i < 100; i++) emitBody('github', page, List);
  };
  expect(computing(emitMany) / 100).toBeLessThan(5);
});
