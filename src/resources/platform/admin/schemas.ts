import { Type } from 'typebox';

export const NewAccount = Type.Object(
  {
    login: Type.String({ minLength: 1, maxLength: 39 }),
    email: Type.Optional(Type.String({ maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$' })),
    suspended: Type.Optional(Type.Boolean()),
  },
  { title: 'User' },
);

export const NewOrganizationAccount = Type.Object(
  {
    login: Type.String({ minLength: 1, maxLength: 39 }),
    admin: Type.String({ minLength: 1, maxLength: 100 }),
    profile_name: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: 'Organization' },
);

export const Impersonation = Type.Object(
  { scopes: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }) },
  { title: 'OauthAccess' },
);

export const Reason = Type.Object({ reason: Type.Optional(Type.String({ maxLength: 1024 })) }, { title: 'User' });
