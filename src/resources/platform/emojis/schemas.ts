import { Type } from 'typebox';

/** The addresses of the images, by the names of the emojis. */
export const Emojis = Type.Record(Type.String(), Type.String());
