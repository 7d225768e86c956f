export { base64Lines, fromBase64, mostRaw, rawContent, tooLarge } from './content.ts';
export { peopleOf, personOf } from './people.ts';
export { checkRef, type Moving, moveOrRefuse } from './refs.ts';
export { AnyPerson, NamedPerson } from './schemas.ts';
