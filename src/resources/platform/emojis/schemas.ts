import { Type } from 'typebox';

/** The addresses of the images, by emoji name. */
export const Emojis = Type.Record(Type.String(), Type.String());
