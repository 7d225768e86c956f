import { expect, test } from 'vitest';
import { longestTurn } from '#test/support/time.ts';
import { fresh } from '#test/support/world.ts';
import { secretSetting } from '../setting.ts';

const { here, owner, org, client, on, setting, heard } = await secretSetting();

const ofOrg = `/orgs/${org.login}/secret-scanning/custom-patterns`;
const settingsAt = `/orgs/${org.login}/secret-scanning/pattern-configurations`;

/** A prefix that no other test has, so that patterns of the organization find nothing of other tests. */
const newPrefix = () => fresh('eng').replace(/[^a-z0-9]/g, '');
const wantedOf = (prefix: string, more: object = {}) => ({ name: `Key of ${prefix}`, pattern: `${prefix}-[0-9]{6}`, ...more });

async function made(at: string, ...patterns: object[]) {
  const { status, body } = await client.post(at, { patterns });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.created_patterns;
}
const removed = (at: string, pattern_id: number, more: object = {}) => client.delete(at, { patterns: [{ pattern_id }], ...more });

test('a pattern of an organization finds secrets in the history and in what is pushed later, as alerts of its own type', async () => {
  const { put, alerts, at, path } = await setting({ secret_scanning: on });
  const other = await setting();
  const prefix = newPrefix();
  await put('old.env', `key=${prefix}-123456;\nnot a${prefix}-111111, nor ${prefix}-1234567`);
  await other.put('old.env', `${prefix}-123456`);
  await here.settle();
  expect(await alerts()).toEqual([]);
  const wanted = wantedOf(prefix, { must_not_match: ['0{6}$'] });
  const [pattern] = await made(ofOrg, { ...wanted, test_string: `${prefix}-222222` });
  expect(pattern).toMatchObject({
    ...wanted,
    slug: `key-of-${prefix}`,
    state: 'published',
    push_protection_enabled: false,
    must_match: [],
    start_delimiter: '\\A|[^0-9A-Za-z]',
    end_delimiter: '\\z|[^0-9A-Za-z]',
    custom_pattern_version: expect.any(String),
  });
  const told = await heard();
  const words = { custom_pattern_name: pattern.name, custom_pattern_scope: 'organization' };
  expect(told['secret_scanning_scan.completed']).toMatchObject({ type: 'custom-pattern-backfill', ...words });
  expect(told['secret_scanning_alert.created']).toMatchObject({ alert: { secret_type: pattern.slug } });
  expect(JSON.stringify(told)).not.toContain(`${prefix}-123456`);
  expect(await alerts()).toMatchObject([
    {
      secret: `${prefix}-123456`,
      secret_type: pattern.slug,
      secret_type_display_name: pattern.name,
      provider: null,
      first_location_detected: { path: 'old.env', start_line: 1, start_column: 5, end_column: 11 + prefix.length },
    },
  ]);
  const scan = { status: 'completed', pattern_name: pattern.name, pattern_scope: 'organization' };
  expect((await client.get(`${at}/scan-history`)).body.custom_pattern_backfill_scans).toMatchObject(
    ['issue', 'pull-request', 'git'].map((type) => ({ type, ...scan })),
  );
  await put('new.env', `${prefix}-654321 ${prefix}-000000`);
  await here.settle();
  expect(await alerts(`?secret_type=${pattern.slug}`)).toMatchObject([
    { secret: `${prefix}-654321` },
    { secret: `${prefix}-123456` },
  ]);
  expect((await client.get(`${path}/secret-scanning/custom-patterns`)).body).toEqual([]);
  expect((await client.get(`${other.at}/custom-patterns`)).status).toBe(404);
  await removed(ofOrg, pattern.id);
});

test('a pattern of a repository holds for that alone', async () => {
  const [one, other] = [await setting({ secret_scanning: on }), await setting({ secret_scanning: on })];
  const prefix = newPrefix();
  const [pattern] = await made(`${one.at}/custom-patterns`, wantedOf(prefix));
  await one.put('a.env', `${prefix}-123456`);
  await other.put('a.env', `${prefix}-123456`);
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ secret_type: pattern.slug, number: 1 }]);
  expect(await other.alerts()).toEqual([]);
  const changed = { pattern: `${prefix}-[0-9]{7}`, custom_pattern_version: pattern.custom_pattern_version };
  expect((await client.patch(`${other.at}/custom-patterns/${pattern.id}`, changed)).status).toBe(404);
  expect((await client.patch(`${ofOrg}/${pattern.id}`, changed)).status).toBe(404);
  expect((await removed(`${other.at}/custom-patterns`, pattern.id)).status).toBe(404);
});

test('a changed pattern of an organization finds other secrets in its repositories', async () => {
  const { put, alerts } = await setting({ secret_scanning: on });
  const prefix = newPrefix();
  const [pattern] = await made(ofOrg, wantedOf(prefix));
  await put('a.env', `${prefix}-123456 ${prefix}-abcdef`);
  await here.settle();
  expect(await alerts()).toMatchObject([{ state: 'open', secret: `${prefix}-123456` }]);
  const wanted = { pattern: `${prefix}-[a-f]{6}`, custom_pattern_version: pattern.custom_pattern_version };
  expect((await client.patch(`${ofOrg}/${pattern.id}`, wanted)).body.pattern).toBe(wanted.pattern);
  await here.settle();
  expect(await alerts()).toMatchObject([
    { state: 'open', secret: `${prefix}-abcdef` },
    { state: 'resolved', resolution: 'pattern_edited' },
  ]);
  await removed(ofOrg, pattern.id);
});

test('a changed pattern ends the alerts that it finds no more, and finds others; an outdated version is refused', async () => {
  const { put, alerts, at } = await setting({ secret_scanning: on });
  const prefix = newPrefix();
  const patternsAt = `${at}/custom-patterns`;
  const [pattern] = await made(patternsAt, wantedOf(prefix, { pattern: `${prefix}-[0-9]{6}` }));
  await put('a.env', `${prefix}-123456 ${prefix}-abcdef`);
  await here.settle();
  await heard();
  const wanted = { pattern: `${prefix}-[a-f]{6}`, custom_pattern_version: pattern.custom_pattern_version };
  const { status, body: changed } = await client.patch(`${patternsAt}/${pattern.id}`, wanted);
  expect([status, changed.pattern]).toEqual([200, wanted.pattern]);
  expect(changed.custom_pattern_version).not.toBe(pattern.custom_pattern_version);
  const told = await heard();
  expect(told['secret_scanning_alert.resolved']).toMatchObject({ alert: { number: 1, resolution: 'pattern_edited' } });
  expect(await alerts()).toMatchObject([
    { number: 2, state: 'open', secret: `${prefix}-abcdef` },
    { number: 1, state: 'resolved', resolution: 'pattern_edited' },
  ]);
  await here.unchanged(['secret_patterns', 'secret_alerts'], async () => {
    expect((await client.patch(`${patternsAt}/${pattern.id}`, wanted)).status).toBe(412);
    const outdated = { patterns: [{ pattern_id: pattern.id, custom_pattern_version: pattern.custom_pattern_version }] };
    expect((await client.delete(patternsAt, outdated)).status).toBe(412);
    expect((await client.patch(`${patternsAt}/${pattern.id}`, { custom_pattern_version: null })).status).toBe(422);
    expect((await client.patch(`${patternsAt}/${pattern.id}`, { pattern: 'x' })).status).toBe(422);
  });
  await client.patch(`${patternsAt}/${pattern.id}`, { pattern: pattern.pattern, custom_pattern_version: null });
  await here.settle();
  expect(await alerts('?state=open')).toMatchObject([{ number: 1, resolution: null }]);
});

test.each([
  ['delete_alerts', []],
  ['resolve_alerts', [{ state: 'resolved', resolution: 'pattern_deleted' }]],
])('a deleted pattern finds nothing more, and does with its alerts as it is told: %s', async (post_delete_action, left) => {
  const { put, alerts, at } = await setting({ secret_scanning: on });
  const prefix = newPrefix();
  const patternsAt = `${at}/custom-patterns`;
  const [pattern] = await made(patternsAt, wantedOf(prefix));
  await put('a.env', `${prefix}-123456`);
  await here.settle();
  expect(await alerts()).toHaveLength(1);
  expect((await removed(patternsAt, pattern.id, { post_delete_action })).status).toBe(204);
  expect((await client.get(patternsAt)).body).toEqual([]);
  await put('b.env', `${prefix}-654321`);
  await here.settle();
  expect(await alerts()).toMatchObject(left);
  const { body: inOrg } = await client.get(`/orgs/${org.login}/secret-scanning/alerts?secret_type=${pattern.slug}`);
  expect(inOrg).toMatchObject(left);
  if (left.length > 0) expect((await client.get(`${at}/alerts/1`)).body).toMatchObject(left[0] ?? {});
  // The same pattern once more finds all of them, with no alert twice.
  await made(patternsAt, wantedOf(prefix));
  await here.settle();
  expect(await alerts('?state=open')).toHaveLength(2);
});

test.each([
  [{ pattern: '(' }, 'patterns.0.pattern'],
  [{ pattern: 'a)|(b' }, 'patterns.0.pattern'],
  [{ pattern: '(?=x)abcdef' }, 'patterns.0.pattern'],
  [{ pattern: '' }, 'patterns.0.pattern'],
  [{ pattern: '[0-9]*' }, 'patterns.0.pattern'],
  [{ pattern: '.+' }, 'patterns.0.pattern'],
  [{ pattern: '\\w+' }, 'patterns.0.pattern'],
  [{ pattern: '(.{0,30}a){10}' }, 'patterns.0.pattern'],
  [{ pattern: '([a-z]{1,900}[0-9]{1,900}){2}' }, 'patterns.0.pattern'],
  [{ pattern: 'clé-[0-9]{6}' }, 'patterns.0.pattern'],
  [{ start_delimiter: '[' }, 'patterns.0.start_delimiter'],
  [{ end_delimiter: '**' }, 'patterns.0.end_delimiter'],
  [{ must_match: ['a', '('] }, 'patterns.0.must_match.1'],
  [{ must_not_match: ['('] }, 'patterns.0.must_not_match.0'],
  [{ must_match: ['a{1000}'.repeat(3)] }, 'patterns.0.must_match.0'],
  [{ must_match: ['a{900}', 'b{900}'], must_not_match: ['c{900}'] }, 'patterns.0.must_not_match.0'],
  [{ test_string: 'eng-12345' }, 'patterns.0.test_string'],
  [{ test_string: 'eng-123456', must_not_match: ['1'] }, 'patterns.0.test_string'],
  [{ name: '' }, 'patterns.0.name'],
  [{ state: 'draft' }, 'patterns.0.state'],
])('the pattern %j is refused, and names its field', async (wanted, field) => {
  await here.unchanged(['secret_patterns'], async () => {
    const { status, body } = await client.post(ofOrg, { patterns: [{ name: 'Bad', pattern: 'eng-[0-9]{6}', ...wanted }] });
    expect(status).toBe(422);
    expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });
});

test('expressions that would be huge are refused without being compiled', async () => {
  const [most, further] = ['a{1000}'.repeat(280), Array.from({ length: 10 }, () => 'a{1000}'.repeat(142))];
  const huge = { pattern: most, start_delimiter: most, end_delimiter: most, must_match: further, must_not_match: further };
  const { result, longest } = await longestTurn(() => client.post(ofOrg, { patterns: [{ name: 'Huge', ...huge }] }));
  expect(result.status).toBe(422);
  expect(longest, 'milliseconds of the longest turn').toBeLessThan(400);
});

test('all patterns together have a bound, whose pattern may still become smaller', async () => {
  const { at } = await setting({ secret_scanning: on });
  const patternsAt = `${at}/custom-patterns`;
  const large = () => wantedOf(newPrefix(), { start_delimiter: '', end_delimiter: '', pattern: `${newPrefix()}-[0-9]{940}` });
  const rows = await made(patternsAt, ...Array.from({ length: 20 }, large));
  expect(await client.post(patternsAt, { patterns: Array.from({ length: 2 }, large) })).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'patterns', message: 'patterns are too large together with the patterns that exist' }] },
  });
  const change = (pattern: string) =>
    client.patch(`${patternsAt}/${rows[0].id}`, { pattern, custom_pattern_version: rows[0].custom_pattern_version });
  expect(await change('eng-[0-9]{998}[a-z]{998}')).toMatchObject({ status: 422, body: { errors: [{ field: 'pattern' }] } });
  expect((await change('eng-[0-9]{200}')).status).toBe(200);
});

test('patterns are made all or none, each name once, and no more than the limit', async () => {
  const prefix = newPrefix();
  const [first] = await made(ofOrg, wantedOf(prefix));
  const fieldsOf = async (...patterns: object[]) => {
    const { status, body } = await client.post(ofOrg, { patterns });
    return [status, body.errors?.map((error: { field: string }) => error.field)];
  };
  await here.unchanged(['secret_patterns'], async () => {
    const fine = wantedOf(newPrefix());
    expect(await fieldsOf(fine, { ...wantedOf(prefix), name: first.name.toUpperCase() })).toEqual([422, ['patterns.1.name']]);
    expect(await fieldsOf(fine, fine)).toEqual([422, ['patterns.1.name']]);
    expect(await fieldsOf(fine, wantedOf(prefix, { name: 'Other', pattern: '(' }))).toEqual([422, ['patterns.1.pattern']]);
    expect(await fieldsOf()).toEqual([422, ['patterns']]);
    const deleted = { patterns: [{ pattern_id: first.id }, { pattern_id: 2_000_000_000 }] };
    expect((await client.delete(ofOrg, deleted)).status).toBe(404);
  });
  await removed(ofOrg, first.id);
});

test('a repository has 100 patterns at most', async () => {
  const { repo, at } = await setting({ secret_scanning: on });
  const patternsAt = `${at}/custom-patterns`;
  await made(patternsAt, wantedOf(newPrefix()));
  const found = here.db.selectFrom('secret_patterns').selectAll().where('repository_id', '=', repo.id);
  const { id: _, version: _version, ...row } = await found.executeTakeFirstOrThrow();
  const more = Array.from({ length: 97 }, (_, n) => ({ ...row, name: `More ${n}`, slug: `more-${n}` }));
  await here.db.insertInto('secret_patterns').values(more).execute();
  const three = [wantedOf(newPrefix()), wantedOf(newPrefix()), wantedOf(newPrefix())];
  await here.unchanged(['secret_patterns'], async () =>
    expect(await client.post(patternsAt, { patterns: three })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'patterns', message: 'There can be at most 100 custom patterns' }] },
    }),
  );
  await made(patternsAt, ...three.slice(1));
});

test('lists are filtered and sorted; an unpublished pattern finds nothing until it is published', async () => {
  const { put, alerts, at } = await setting({ secret_scanning: on });
  const [one, two] = [newPrefix(), newPrefix()];
  const patternsAt = `${at}/custom-patterns`;
  const [draft] = await made(patternsAt, { ...wantedOf(one), name: 'B', state: 'unpublished' }, { ...wantedOf(two), name: 'A' });
  const names = async (query: string) =>
    (await client.get(`${patternsAt}${query}`)).body.map(({ name }: { name: string }) => name);
  expect(await names('')).toEqual(['A', 'B']);
  expect(await names('?sort=name&direction=desc')).toEqual(['B', 'A']);
  expect(await names('?state=unpublished')).toEqual(['B']);
  expect(await names('?push_protection=enabled')).toEqual([]);
  expect(await names('?per_page=1&page=2')).toEqual(['B']);
  expect(await here.statements(owner, patternsAt)).toBeLessThanOrEqual(3);
  await put('a.env', `${one}-123456`);
  await here.settle();
  expect(await alerts()).toEqual([]);
  await client.patch(`${patternsAt}/${draft.id}`, { state: 'published', custom_pattern_version: draft.custom_pattern_version });
  await here.settle();
  expect(await alerts()).toHaveLength(1);
});

test('pattern configurations say what keeps people from pushing, and a bypass is told by the alert', async () => {
  const { put, alerts, at } = await setting({ secret_scanning: on, secret_scanning_push_protection: on });
  const prefix = newPrefix();
  const [pattern] = await made(ofOrg, wantedOf(prefix));
  const [draft] = await made(ofOrg, wantedOf(newPrefix(), { state: 'unpublished' }));
  const { body: before } = await client.get(settingsAt);
  const type = `cp_${pattern.id}`;
  const entryOf = (body: typeof before, token_type: string) =>
    [...body.provider_pattern_overrides, ...body.custom_pattern_overrides].find((one) => one.token_type === token_type);
  expect(entryOf(before, 'STRIPE_API_KEY')).toMatchObject({
    slug: 'stripe_api_key',
    default_setting: 'enabled',
    setting: 'not-set',
  });
  expect(entryOf(before, type)).toMatchObject({ slug: pattern.slug, default_setting: 'disabled', setting: 'disabled' });
  const key = `sk_live_${'a1B2c3D4'.repeat(3)}`;
  expect((await put('stripe.env', key)).status).toBe(409);
  expect((await put('free.env', `${prefix}-111111`)).status).toBe(201);
  const wanted = {
    pattern_config_version: before.pattern_config_version,
    provider_pattern_settings: [{ token_type: 'STRIPE_API_KEY', push_protection_setting: 'disabled' }],
    custom_pattern_settings: [{ token_type: type, push_protection_setting: 'enabled' }],
  };
  const { status, body } = await client.patch(settingsAt, wanted);
  expect([status, body.pattern_config_version]).not.toEqual([200, before.pattern_config_version]);
  const { body: after } = await client.get(settingsAt);
  expect(after.pattern_config_version).toBe(body.pattern_config_version);
  expect(entryOf(after, 'STRIPE_API_KEY').setting).toBe('disabled');
  expect(entryOf(after, type).setting).toBe('enabled');
  expect((await client.get(`${ofOrg}?push_protection=enabled`)).body).toMatchObject([{ id: pattern.id }]);

  expect((await put('stripe.env', key)).status).toBe(201);
  const refused = await put('kept.env', `${prefix}-222222`);
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(`${pattern.name} in commit`) } });
  await here.unchanged(['secret_pattern_settings', 'secret_patterns'], async () => {
    expect((await client.patch(settingsAt, wanted)).status).toBe(409);
    const custom = { token_type: type, push_protection_setting: 'disabled' };
    const outdated = { custom_pattern_settings: [{ ...custom, custom_pattern_version: 'another' }] };
    expect((await client.patch(settingsAt, outdated)).status).toBe(409);
    const unknown = { provider_pattern_settings: [{ token_type: 'NOBODYS', push_protection_setting: 'enabled' }] };
    expect(await client.patch(settingsAt, unknown)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'provider_pattern_settings.0.token_type' }] },
    });
    for (const token_type of ['cp_2000000000', `cp_${draft.id}`])
      expect(
        await client.patch(settingsAt, { custom_pattern_settings: [{ token_type, push_protection_setting: 'enabled' }] }),
      ).toMatchObject({ status: 422, body: { errors: [{ field: 'custom_pattern_settings.0.token_type', code: 'invalid' }] } });
    const notSet = { custom_pattern_settings: [{ ...custom, push_protection_setting: 'not-set' }] };
    expect((await client.patch(settingsAt, notSet)).status).toBe(422);
  });

  await heard();
  const placeholder_id = /\(placeholder ([\w-]+)\)/.exec(refused.body.message)?.[1];
  const bypass = { reason: 'will_fix_later', placeholder_id };
  expect(await client.post(`${at}/push-protection-bypasses`, bypass)).toMatchObject({ body: { token_type: pattern.slug } });
  expect((await put('kept.env', `${prefix}-222222`)).status).toBe(201);
  const by = { push_protection_bypassed: true, push_protection_bypassed_by: { login: owner.login } };
  expect((await heard())['secret_scanning_alert.created']).toMatchObject({ alert: { secret_type: pattern.slug, ...by } });
  expect((await alerts('?is_bypassed=true'))[0]).toMatchObject({ ...by, state: 'open' });
  const { body: counted } = await client.get(settingsAt);
  expect(entryOf(counted, type)).toMatchObject({ alert_total: 2, false_positives: 0, bypass_rate: 50 });
  expect(await here.statements(owner, settingsAt)).toBeLessThanOrEqual(4);
  await client.patch(settingsAt, {
    provider_pattern_settings: [{ token_type: 'STRIPE_API_KEY', push_protection_setting: 'not-set' }],
  });
  for (const { id } of [pattern, draft]) await removed(ofOrg, id);
});

test('a pattern keeps all that is said of it, and a change names what becomes of it', async () => {
  const { at } = await setting({ secret_scanning: on });
  const prefix = newPrefix();
  const wanted = {
    name: `Key of ${prefix}`,
    pattern: `${prefix}-[0-9]{6}`,
    start_delimiter: '\\A|=',
    end_delimiter: '\\z|;',
    must_match: ['[1-9]'],
    must_not_match: ['0{6}'],
  };
  const { status, body } = await client.post(`${at}/custom-patterns`, {
    patterns: [{ ...wanted, test_string: `=${prefix}-123456;` }],
  });
  expect([status, body.created_patterns]).toEqual([201, [expect.objectContaining(wanted)]]);
  const [pattern] = body.created_patterns;
  const change = { start_delimiter: '\\A|:', end_delimiter: '\\z|!', must_match: ['[2-9]'], must_not_match: ['9{6}'] };
  const { custom_pattern_version } = pattern;
  const test_string = `:${prefix}-234567!`;
  const changed = await client.patch(`${at}/custom-patterns/${pattern.id}`, { ...change, test_string, custom_pattern_version });
  expect(changed.body).toMatchObject({ ...wanted, ...change });
  const none = { patterns: [{ ...wanted, name: `Other key of ${prefix}`, test_string: `=${prefix}-000000;` }] };
  expect((await client.post(`${at}/custom-patterns`, none)).status).toBe(422);
});
