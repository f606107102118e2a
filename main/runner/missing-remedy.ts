import { isUsedUp } from '../../core/used-up-credit.ts'
import { remedyFor } from '../evidence/typed-command.ts'

/** What a person does so that approaches which were left out answer too. `reason`: what failed; `role`: whose model was called. */
export function missingRemedy(reason: string, role: string): string {
  const resume = remedyFor({ panel: 'resume the run', commandLine: 'start the run again with --no-cold-reset' })
  if (isUsedUp(reason) || /\bHTTP 402\b/.test(reason)) return `add credit at the service, then ${resume}`
  if (/\bHTTP 40[13]\b/.test(reason)) return `correct the key of the service, then ${resume}`
  return `${resume}, which tries again what failed, or choose another model for ${role} and start a new run`
}
