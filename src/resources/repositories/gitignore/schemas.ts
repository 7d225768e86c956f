import { Type } from 'typebox';

export const GitignoreTemplate = Type.Object({ name: Type.String(), source: Type.String() });
