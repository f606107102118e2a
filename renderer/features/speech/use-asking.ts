import { useCallback, useEffect, useRef, useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { control } from '../../data/client.ts'
import { ServiceCallError } from '../../data/service-call.ts'
import { askApproach, type SpokenAnswer } from './speech-client.ts'

/** Describes how far one approach is with the question. */
export interface Asked {
  alias: string
  state: 'waiting' | 'asking' | 'answered' | 'failed'
  answer: SpokenAnswer | null
  /** From the request to the whole answer. */
  ms: number | null
  problem: string | null
}

export interface Asking {
  question: string
  answers: readonly Asked[]
}

export const messageOf = (error: unknown): string =>
  error instanceof ServiceCallError ? error.message : controlErrorOf(error).message

const READY_AGAIN_MS = 400

/** The platform serves one dataset at a time: it is started for this one, unless it runs elsewhere and is not ours to start. */
async function makeReady(dataset: string, signal: AbortSignal): Promise<void> {
  const services = await control.services.list()
  if (services.find(({ name }) => name === 'platform')?.state === 'external') return
  await control.services.start({ name: 'platform', dataset_id: dataset })
  // The start only begins it, and a call meanwhile is refused.
  while (!signal.aborted) {
    const platform = (await control.services.list()).find(({ name }) => name === 'platform')
    if (platform?.state === 'ready') return
    if (platform === undefined || ['failed', 'stopped'].includes(platform.state))
      throw new Error(platform?.detail ?? 'the platform does not start')
    await new Promise((resolve) => setTimeout(resolve, READY_AGAIN_MS))
  }
}

/** Puts a question to one approach after the other, so that their times can be compared; asking again or leaving ends what is under way. */
export function useAsking(dataset: string) {
  const [asking, setAsking] = useState<Asking | null>(null)
  const leave = useRef(new AbortController())
  useEffect(() => () => leave.current.abort(), [])

  const ask = useCallback(
    async (question: string, aliases: readonly string[]): Promise<void> => {
      leave.current.abort()
      const { signal } = (leave.current = new AbortController())
      const change = (alias: string, part: Partial<Asked>): void => {
        if (signal.aborted) return
        setAsking(
          (now) =>
            now && { ...now, answers: now.answers.map((each) => (each.alias === alias ? { ...each, ...part } : each)) },
        )
      }
      const empty = { state: 'waiting' as const, answer: null, ms: null, problem: null }
      setAsking({ question, answers: aliases.map((alias) => ({ alias, ...empty })) })
      const problem = await makeReady(dataset, signal).then(() => null, messageOf)
      for (const alias of aliases) {
        if (signal.aborted) return
        if (problem !== null) {
          change(alias, { state: 'failed', problem })
          continue
        }
        change(alias, { state: 'asking' })
        const started = performance.now()
        try {
          const answer = await askApproach(alias, question, signal)
          change(alias, { state: 'answered', answer, ms: performance.now() - started })
        } catch (error) {
          change(alias, { state: 'failed', problem: messageOf(error), ms: performance.now() - started })
        }
      }
    },
    [dataset],
  )
  const isAsking = asking?.answers.some(({ state }) => state === 'waiting' || state === 'asking') === true
  return { asking, ask, isAsking }
}
