import { expect, test } from 'vitest';
import { computing } from '#test/support/time.ts';
import { readCommitMessage, readMarkdown } from '#text/read.ts';
import { hostileTexts } from './hostile.ts';

const megabyte = 1_000_000;
/** Several times what the slowest of them takes; anything that grows by the square takes minutes. */
const milliseconds = 6_000;

test.each(hostileTexts(megabyte))('a megabyte of %s is read in time', (_, text) => {
  // A text without anything like a reference isn't parsed.
  expect(computing(() => readMarkdown({ text: `${text}\n\n@ada` }))).toBeLessThan(milliseconds);
  expect(computing(() => readCommitMessage(text))).toBeLessThan(milliseconds / 4);
});
