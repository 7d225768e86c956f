export { base64Lines, fromBase64, mostRaw, rawContent, tooLarge } from './content.ts';
export { peopleOf } from './people.ts';
export { blobUrl } from './present.ts';
export { checkRef, type Moving, moveOrRefuse } from './refs.ts';
export { NamedPerson } from './schemas.ts';
