export { base64Lines, maxRaw, rawContent, tooLarge } from './content.ts';
export { fromBase64, utf8Of } from './decode-content.ts';
export { personOf } from './people.ts';
export { checkMayMove, checkRef, moveOrRefuse } from './refs.ts';
export { AnyPerson, NamedPerson } from './schemas.ts';
