import { mkdirSync } from 'node:fs'
import {
  OwnApproachError,
  type OwnCaller,
  type OwnQuestion,
  type OwnReply,
} from '../../../../core/own-approaches/own-reply.ts'
import { openOwnCaller } from '../../../../core/own-approaches/open-caller.ts'
import type { OwnApproachFile } from '../../../../core/own-approaches/read-approaches.ts'
import { step } from '../../trace/trace.ts'
import { RagError } from '../rag-error.ts'

/** The own approaches of a project, as the platform asks them. */
export interface OwnEngine {
  /** Why an approach cannot be asked; null where it can. */
  problem(alias: string): string | null
  /** Throws `RagError`. */
  ask(alias: string, question: OwnQuestion): Promise<OwnReply>
  close(): Promise<void>
}

export interface OwnEngineSettings {
  files: readonly OwnApproachFile[]
  /** SHA-256 of the files that the person has allowed. */
  trusted: readonly string[]
  /** The project folder, where programs run. */
  root: string
}

/** Opens nothing before the first question; the programs write to a file each in `logFolder`. */
export function createOwnEngine(
  { files, trusted, root }: OwnEngineSettings,
  logFolder: string,
  env: Readonly<Record<string, string | undefined>>,
): OwnEngine {
  const byName = new Map(files.map((each) => [each.name, each]))
  const callers = new Map<string, OwnCaller>()

  function problem(alias: string): string | null {
    const file = byName.get(alias)
    if (file === undefined) return `the project has no file approaches/${alias}.yaml`
    return trusted.includes(file.digest)
      ? null
      : `${file.file} names what is run or called, and you have not allowed it as it is now. Read it, then allow it in New run, step Approaches`
  }

  function callerOf(alias: string): OwnCaller {
    const reason = problem(alias)
    if (reason !== null) throw new RagError('approach_unavailable', `${alias} is not available: ${reason}`)
    const known = callers.get(alias)
    if (known !== undefined) return known
    mkdirSync(logFolder, { recursive: true })
    const opened = openOwnCaller(byName.get(alias)!, { root, logFolder, env })
    callers.set(alias, opened)
    return opened
  }

  return {
    problem,
    async ask(alias, question) {
      try {
        const caller = callerOf(alias)
        const { question: text, budget, k, settings } = question
        return await step(
          { kind: 'tool', name: `own approach: ${alias}`, request: () => ({ question: text, budget, k, settings }) },
          () => caller.ask(question),
          (reply) => ({ response: reply, tokensIn: reply.usage?.prompt, tokensOut: reply.usage?.completion }),
        )
      } catch (error) {
        if (!(error instanceof OwnApproachError)) throw error
        const code = {
          failed: 'own_approach_failed',
          timeout: 'own_approach_timeout',
          rate_limited: 'rate_limited',
          access_refused: 'model_access_refused',
        } as const
        const headers: Record<string, string> = error.retryAfter === null ? {} : { 'retry-after': error.retryAfter }
        throw new RagError(code[error.kind], `${alias}: ${error.message}`, { cause: error, headers })
      }
    },
    async close() {
      await Promise.all([...callers.values()].map((caller) => caller.close()))
    },
  }
}
