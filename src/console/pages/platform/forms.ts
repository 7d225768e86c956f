import type { Form } from '#console/form.ts';
import { confirmForm, endOthersForm, endSessionForm, passwordForm } from './own-settings.ts';

export const platformForms: readonly Form[] = [confirmForm, endOthersForm, endSessionForm, passwordForm];
