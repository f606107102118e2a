import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { chatUrl } from '../../lib/services/gateway-client.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { withoutCredentials } from '../../manifests/project/provenance.ts'

/** This many equal refusals in a row end a run: the other cells would be refused too. */
const REFUSALS_BEFORE_STOP = 10

/** The gateway refused the credential of one call after the other. */
export class AccessRefusedError extends Error {
  override readonly name = 'AccessRefusedError'
  readonly code = 'access_refused'
}

const MEANING: Readonly<Record<number, string>> = {
  401: 'it does not accept the key of this run',
  403: 'the key of this run does not permit the call',
}

/** Counts refused calls in the order in which cells finish; any other outcome starts the count again. */
export class AccessRefusals {
  readonly #address: string
  #status: number | null = null
  #count = 0

  /** `gateway`: the base address that is called. */
  constructor(gateway: string) {
    this.#address = withoutCredentials(chatUrl(gateway))
  }

  /** Throws `AccessRefusedError` at the tenth refusal in a row with the same status. */
  add({ status: outcome, metrics }: Pick<CanonicalRow, 'status' | 'metrics'>): void {
    const status = outcome === 'ok' ? null : (metrics.operational.attempts.at(-1)?.http_status ?? null)
    const isRefusal = status !== null && status in MEANING
    this.#count = !isRefusal ? 0 : status === this.#status ? this.#count + 1 : 1
    this.#status = status
    if (this.#count < REFUSALS_BEFORE_STOP) return
    const remedy = remedyFor({
      panel: 'Correct the gateway’s key under Settings, then resume the run',
      commandLine: 'Correct MATRIX_GATEWAY_API_KEY, then run the same command again',
    })
    throw new AccessRefusedError(
      `${this.#address} answered ${this.#count} calls in a row with HTTP ${status}: ${MEANING[status!]}. The run was stopped, and every stored answer is kept. ${remedy}: the refused cells are tried again.`,
    )
  }
}
