import { expect, test } from 'vitest';
import { isOptionalBody } from '#endpoint/validate.ts';
import type { FieldError } from '#lib/refusal.ts';
import { allEndpoints } from '#resources/all.ts';
import { fresh, world } from '#test/support/world.ts';
import { everyRow } from '../rows.ts';
import { makePlaces } from './places.ts';
import { rightBodies } from './right-bodies.ts';
import { wrongBodies } from './wrong-bodies.ts';

const here = await world();
const places = await makePlaces(here, await here.user());
const { client } = places;

const right = await rightBodies(places);

const endpointOf = (route: string) => {
  const found = allEndpoints.find(({ method, path }) => `${method} ${path}` === route);
  if (!found?.body) throw new Error(`${route} takes no body`);
  return { path: found.path, body: found.body, send: found.method === 'POST' ? client.post : client.patch };
};

/** A field error, also from a text for operations with text errors. */
const fieldErrorOf = (error: string | FieldError): { field: string; code: string } => {
  if (typeof error !== 'string') return error;
  const [field = '', text] = error.split(': ', 2);
  return { field, code: text === 'is missing' ? 'missing_field' : 'invalid' };
};

const isBelow = (told: string, field: string): boolean => told === field || told.startsWith(`${field}.`);

test.each(right)('%s: whatever is wrong with a field, it is named, and nothing is written', async (route, body) => {
  const { path, body: schema, send } = endpointOf(route);
  const wrong = wrongBodies(schema, body);
  expect(wrong.length).toBeGreaterThan(30);
  const before = await everyRow(here.db);
  const unlike: string[] = [];
  for (const { field, body, code } of wrong) {
    const reply = await send(places.at(path), body);
    const errors = ((reply.body?.errors ?? []) as (string | FieldError)[]).map(fieldErrorOf);
    const isNamed = errors.length > 0 && errors.every((error) => isBelow(error.field, field));
    const isRight = reply.status === 422 && isNamed && (code === 'invalid' || errors[0]?.code === code);
    if (!isRight)
      unlike.push(`${field} (${code}): ${JSON.stringify(body).slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 300)}`);
  }
  expect(unlike.slice(0, 10)).toEqual([]);
  expect(await everyRow(here.db)).toBe(before);
});

test.each([...new Set(right.map(([route]) => route))])('%s takes nothing but an object', async (route) => {
  const { path, body, send } = endpointOf(route);
  const before = await everyRow(here.db);
  const left = isOptionalBody(body) ? [] : ['null'];
  for (const text of [...left, '[]', '[{}]', '"text"', '1', 'true', '{', '{"name":', `{"name":"${fresh('x')}"}}`])
    expect([text, (await send(places.at(path), text)).status]).toEqual([text, 400]);
  expect(await everyRow(here.db)).toBe(before);
});
