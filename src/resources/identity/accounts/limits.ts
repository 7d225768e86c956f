import { limitGroup } from '#lib/limits.ts';

export const accountLimits = limitGroup('accounts', 'Accounts', {
  emails: { value: 50, unit: 'count', fixed: true, of: 'e-mail addresses of one account', past: '422' },
});
