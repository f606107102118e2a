// Words for what a person does where a model gave no answer.
import { remedyFor } from './remedy.ts'
import { isUsedUp } from './used-up-credit.ts'

/** States why an answering model returned no text, and what to do. `ending`: the finish reason of its reply; null where it is unknown. */
export const noAnswerText = (ending: string | null): string =>
  `the answering model returned no text: ${ending === 'length' ? 'all tokens went into its reasoning' : 'its reply is empty without its reasoning'}. Give it a higher limit of answer tokens, or less reasoning effort`

/** States what a person does so that approaches that were left out answer too. `reason`: what failed; `role`: whose model was called. */
export function missingRemedy(reason: string, role: string): string {
  const resume = remedyFor({ panel: 'resume the run', commandLine: 'start the run again with --no-cold-reset' })
  if (isUsedUp(reason) || /\bHTTP 402\b/.test(reason)) return `add credit at the service, then ${resume}`
  if (/\bHTTP 40[13]\b/.test(reason)) return `correct the key of the service, then ${resume}`
  return `${resume}, which tries again what failed, or choose another model for ${role} and start a new run`
}

export const WRONG_ADDRESS =
  'The address is that of another program or of a page: check port and path; most services need /v1 at the end.'

/** Describes a call that got no answer. `isPage`: a web page came instead; `isTimeout`: nothing came within our own time limit. */
interface FailedCall {
  status: number | null
  isPage: boolean
  isTimeout: boolean
}

/** True where the same call would end in the same way: for a missing model, for a request that is too large, and for a page at a wrong address. The error page of a proxy may go away. */
export const isFinalCall = ({ status, isPage }: Omit<FailedCall, 'isTimeout'>): boolean =>
  status !== null && (status === 404 || status === 413 || (isPage && status < 500))

/** The sentence that states what to do about a failed call, after a space; empty where the words of the service do. */
export function callRemedy({ status, isPage, isTimeout }: FailedCall, service: 'connection' | 'gateway'): string {
  if (isPage)
    return status !== null && status >= 500
      ? ` Start the service at this address, or correct the address of the ${service}.`
      : ` ${WRONG_ADDRESS}`
  if (status === 404) return ` Correct the name of the model, or the address of the ${service}.`
  if (status === 413) return ' Let the service take larger requests, or hand over less text (the context budget).'
  if (!isTimeout) return ''
  return service === 'gateway'
    ? ' Raise the time limit of an answer (timeout_s in manifests/evaluation.yaml), or choose a faster model.'
    : ' Raise the time limit per call of the connection (timeout_s), or choose a faster model.'
}
