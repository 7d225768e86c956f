import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { Nullable, OneOf } from '#lib/shape.ts';
import { emitBody } from '#vocabulary/body.ts';
import { emitSchema } from '#vocabulary/schema.ts';

const Registry = Type.Object({
  name: Type.String(),
  auth_type: OneOf(['token', 'oidc_cloud_a', 'oidc_registry_a'], { default: 'oidc_cloud_a' }),
  registry_a_oidc_provider_name: Nullable(Type.String()),
  description: Type.Optional(Type.String({ default: 'service' })),
  images: Type.Array(Type.Object({ source: Type.Union([Type.Literal('service'), Type.Literal('custom')]) })),
});

test('a description shows fields, values and defaults in the words of the vocabulary', () => {
  expect(emitSchema('service', Registry)).toBe(Registry);
  expect(emitSchema('github', Registry)).toMatchObject({
    required: ['name', 'auth_type', 'jfrog_oidc_provider_name', 'images'],
    properties: {
      auth_type: { enum: ['token', 'oidc_azure', 'oidc_jfrog'], default: 'oidc_azure' },
      jfrog_oidc_provider_name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      description: { default: 'service' },
      images: { items: { properties: { source: { anyOf: [{ const: 'github' }, { const: 'custom' }] } } } },
    },
  });
});

test('a translated body follows the translated schema, and no longer the declared one', () => {
  const body = { name: 'a', auth_type: 'oidc_cloud_a', registry_a_oidc_provider_name: 'b', images: [{ source: 'service' }] };
  const emitted = emitBody('github', body, Registry);
  const ajv = new Ajv({ strict: false });
  expect(ajv.validate(Registry, body)).toBe(true);
  expect(ajv.validate(emitSchema('github', Registry), emitted)).toBe(true);
  expect(ajv.validate(Registry, emitted)).toBe(false);
});

test('a schema without such words is the same one', () => {
  const Plain = Type.Object({ name: Type.String() });
  expect(emitSchema('github', Plain)).toBe(Plain);
});

test('a free record keeps its names, and what stands under them is translated', () => {
  const Settings = Type.Object({ assistant: Type.Record(Type.String(), Type.Object({ service_owned_allowed: Type.Boolean() })) });
  expect(emitSchema('github', Settings)).toMatchObject({
    properties: { copilot: { patternProperties: { '^.*$': { properties: { github_owned_allowed: { type: 'boolean' } } } } } },
  });
});
