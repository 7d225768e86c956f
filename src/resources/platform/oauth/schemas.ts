import { Type } from 'typebox';

export const OwnSession = Type.Object({
  id: Type.Integer(),
  agent: Type.String({ description: 'What the browser called itself when the session began' }),
  address: Type.String({ description: 'The network address from which it began' }),
  created_at: Type.String(),
  last_used_at: Type.Union([Type.String(), Type.Null()], { description: 'Noted once an hour at most' }),
  is_current: Type.Boolean(),
});

const password = Type.String({ minLength: 1, maxLength: 1024 });

export const Confirmation = Type.Object({ password }, { title: 'Password' });

export const PasswordChange = Type.Object(
  { password: Type.String({ ...password, description: 'The present one' }), wanted: password },
  { title: 'Password' },
);
