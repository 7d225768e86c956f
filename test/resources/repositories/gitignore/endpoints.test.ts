import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const client = await w.as(undefined);
const names: string[] = (await client.get('/gitignore/templates')).body;

test('the names of the templates, in their order, to everybody', async () => {
  expect(names).toEqual(
    expect.arrayContaining(['C', 'C++', 'Go', 'Java', 'Node', 'Objective-C', 'Python', 'Rust', 'VisualStudio']),
  );
  expect(names).toEqual([...new Set(names)].sort());
});

test.each(names)('%s has a text of patterns, under its own name', async (name) => {
  const { status, body } = await client.get(`/gitignore/templates/${encodeURIComponent(name)}`);
  expect([status, body.name]).toEqual([200, name]);
  const lines: string[] = body.source.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.some((line) => line !== '' && !line.startsWith('#'))).toBe(true);
  expect(lines.filter((line) => /\s$/.test(line))).toEqual([]);
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(patterns).toEqual([...new Set(patterns)]);
});

test('the text alone by its media type, and a name in whatever case', async () => {
  const { body } = await client.get('/gitignore/templates/Python');
  const reply = await client.get('/gitignore/templates/python', { headers: { accept: 'application/vnd.service.raw' } });
  expect(reply).toMatchObject({ status: 200, text: body.source });
  expect(reply.headers['content-type']).toMatch(/^application\/vnd\.service\.raw/);
});

test.each(['nonsense', 'constructor', '..%2Fcatalogue.ts', 'Node.gitignore'])('there is no template %s', async (name) => {
  expect((await client.get(`/gitignore/templates/${name}`)).status).toBe(404);
});

/** A file that Git must ignore by the template, and one that it mustn't. */
test.each([
  ['Node', 'node_modules/a/index.js', 'src/index.js'],
  ['Node', '.env.local', '.env.example'],
  ['Python', 'a/__pycache__/b.pyc', 'a/b.py'],
  ['C', 'src/a.o', 'src/a.c'],
  ['Java', 'a/B.class', 'a/B.java'],
  ['Rust', 'target/debug/a', 'src/main.rs'],
  ['Go', 'a.test', 'a_test.go'],
  ['Terraform', 'a.tfstate', 'main.tf'],
  ['Elisp', '#a.el#', 'a.el'],
  ['VisualStudio', 'Generated Files/a', 'Program.cs'],
  ['Perl', 'Build', 'Build/a'],
])('Git ignores by %s the file %s, and not %s', async (name, ignored, kept) => {
  const { source } = (await client.get(`/gitignore/templates/${name}`)).body;
  const folder = await mkdtemp(join(tmpdir(), 'hearth-gitignore-'));
  const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder, ...args]);
  try {
    await git('init', '--quiet');
    await writeFile(join(folder, '.gitignore'), source);
    const { stdout } = await git('check-ignore', '--no-index', ignored);
    expect(stdout.replaceAll('"', '').trim()).toBe(ignored);
    await expect(git('check-ignore', '--no-index', kept)).rejects.toMatchObject({ code: 1 });
  } finally {
    await rm(folder, { recursive: true });
  }
});
