import { expect, test } from 'vitest';
import { parseCommand } from '#ssh-server/command.ts';

const upload = { service: 'git-upload-pack', owner: 'ada', name: 'engine.git' };

test.each([
  ["git-upload-pack 'ada/engine.git'", upload],
  ["git-upload-pack '/ada/engine.git'", upload],
  ["git-upload-pack '/ada/engine.git/'", upload],
  ["git upload-pack 'ada/engine.git'", upload],
  ['git-upload-pack ada/engine.git', upload],
  ["git-receive-pack 'ada/engine'", { service: 'git-receive-pack', owner: 'ada', name: 'engine' }],
  ["git-upload-pack ''", { service: 'git-upload-pack', owner: '', name: '' }],
  ["git-upload-pack 'engine.git'", { service: 'git-upload-pack', owner: 'engine.git', name: '' }],
  ["git-upload-pack 'ada/../engine.git'", { service: 'git-upload-pack', owner: '', name: '' }],
  ["git-upload-pack '../../etc/passwd'", { service: 'git-upload-pack', owner: '', name: '' }],
])('%s', (text, read) => {
  expect(parseCommand(text)).toEqual(read);
});

test.each([
  '',
  'ls',
  'git-upload-archive ada/engine.git',
  'git-upload-pack',
  "git-upload-pack 'a/b' 'c/d'",
  "git-upload-pack 'a/b'; id",
  'git-upload-pack a/b;id',
  'git-upload-pack $(id)',
  'git-upload-pack a/b\nid',
  "git-upload-pack 'a/b'\nid",
  "git-upload-pack --upload-pack=id 'a/b'",
  "sh -c 'git-upload-pack a/b'",
  'GIT_DIR=/ git-upload-pack a/b',
  'scp -t /tmp',
  `git-upload-pack a${' '.repeat(30_000)}b`,
])('%j is no command', (text) => {
  expect(parseCommand(text)).toBeUndefined();
});
