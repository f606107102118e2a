import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { REFUSALS_BEFORE_STOP, refusalOf } from '../../../core/http/access-refused.ts'
import { chatUrl } from '../../lib/services/gateway-client.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { withoutCredentials } from '../../manifests/project/provenance.ts'

/** The gateway, or the model that answers, refused the key or the account of one call after the other. */
export class AccessRefusedError extends Error {
  override readonly name = 'AccessRefusedError'
  readonly code = 'access_refused'
}

const MEANING: Readonly<Record<number, string>> = {
  401: 'it does not accept the key of this run',
  402: 'the account of this run has no credit',
  403: 'the key of this run does not permit the call',
}

interface Refusals {
  count: number
  approaches: Set<string>
  message: string
  status: number | null
}

/** Counts refused calls in the order in which answers arrive; another outcome of an approach starts the counts again that it is part of. */
export class AccessRefusals {
  readonly #address: string
  readonly #refusals = new Map<string, Refusals>()

  /** `gateway`: the base address that is called. */
  constructor(gateway: string) {
    this.#address = withoutCredentials(chatUrl(gateway))
  }

  add({ error, approach: { model }, metrics }: Pick<CanonicalRow, 'error' | 'approach' | 'metrics'>): void {
    const message = error?.type === 'access_refused' ? error.message : null
    const what = message === null ? null : refusalOf(message)
    for (const [other, { approaches }] of this.#open())
      if (other !== what && approaches.has(model)) this.#refusals.delete(other)
    if (message === null) return
    const { count = 0, approaches = [] } = this.#refusals.get(what!) ?? {}
    const status = metrics.operational.attempts.at(-1)?.http_status ?? null
    this.#refusals.set(what!, { count: count + 1, approaches: new Set([...approaches, model]), message, status })
  }

  /** True once further calls of an approach would be refused too. */
  isStopped(model: string): boolean {
    return this.#stopped().some(({ approaches }) => approaches.has(model))
  }

  /** The error that names what was refused, and what to do; null while no approach is stopped. */
  error(): AccessRefusedError | null {
    const stopped = this.#stopped()
    if (stopped.length === 0) return null
    const models = new Set(stopped.flatMap(({ approaches }) => [...approaches])).size
    const what = stopped.map((each) => this.#sentence(each)).join(' ')
    const kept = `The run was stopped for ${models === 1 ? 'this approach' : 'these approaches'}, and every stored answer is kept.`
    const isGateway = stopped.some(({ status }) => status !== null && status in MEANING)
    const remedy = remedyFor({
      panel: `Correct ${isGateway ? 'the gateway’s key under Settings' : 'the key under Models or the account at the service'}, then resume the run`,
      commandLine: `Correct ${isGateway ? 'MATRIX_GATEWAY_API_KEY' : 'the key or the account at the service'}, then start the run again with --no-cold-reset`,
    })
    return new AccessRefusedError(`${what} ${kept} ${remedy}: the refused answers are asked for again.`)
  }

  #sentence({ count, message, status, approaches }: Refusals): string {
    const refused =
      status !== null && status in MEANING
        ? `${this.#address} answered ${count} calls in a row with HTTP ${status}: ${MEANING[status]}`
        : `${count} calls in a row were refused: ${message.replace(/^HTTP \d+: |\.$/g, '')}`
    return `${[...approaches].join(', ')}: ${refused}.`
  }

  #stopped = (): Refusals[] => [...this.#refusals.values()].filter(({ count }) => count >= REFUSALS_BEFORE_STOP)
  #open = (): [string, Refusals][] => [...this.#refusals].filter(([, { count }]) => count < REFUSALS_BEFORE_STOP)
}
