import { randomInt } from 'node:crypto';

/** The letters and digits of identifiers, among which none is mistaken for another. */
const letters = '23456789cfghjmpqrvwx';

const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');

/** A new identifier of an advisory, of the public API's form: `GHSA-2345-6789-cfgh`. */
export const newIdentifier = (): string => `GHSA-${group()}-${group()}-${group()}`;
