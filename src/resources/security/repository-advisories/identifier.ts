import { randomInt } from 'node:crypto';

/** The characters of identifiers, without those that are easily confused. */
const letters = '23456789cfghjmpqrvwx';

const group = (): string => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');

/** A new identifier of an advisory, in the public API's form: `GHSA-2345-6789-cfgh`. */
export const newIdentifier = (): string => `GHSA-${group()}-${group()}-${group()}`;
