import { isDeepStrictEqual } from 'node:util'
import { createEvaluatorClient } from '../../main/evaluation/evaluator-client.ts'
import { EVALUATOR_FAULTS, expectedResult, type EvaluatorFault } from '../helpers/evaluator-faults.ts'
import { startFaultServer } from '../helpers/fault-server.ts'
import { shown, type Figure } from './figure.ts'

/** Each fault so often, so that one that only comes through sometimes is seen. */
const ROUNDS = 10

const wordOf = ({ error }: EvaluatorFault): string => ('metric' in error ? error.metric : error.call)

/** P12: every fault of an evaluator, injected over HTTP, and how many of them ended in their typed error. */
export async function benchEvaluator(): Promise<Figure[]> {
  const server = await startFaultServer()
  const url = `${server.url}/api/rag/evaluate`
  const client = createEvaluatorClient({ url, apiKey: null, timeoutMs: 100, retries: 1, backoffMs: 1 })
  const evidence = { question: 'Q?', answer: 'A.', contexts: ['C'], groundTruth: null }
  const typedOf = async (fault: EvaluatorFault): Promise<number> => {
    server.script(fault.behaviour)
    let typed = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const result = await client.evaluate(['faithfulness'], evidence, { row_id: 'r', run_id: 'x', dataset_id: 'd' })
      const expected = expectedResult(fault)
      const got = Object.fromEntries(Object.keys(expected).map((key) => [key, result[key as keyof typeof result]]))
      if (isDeepStrictEqual(got, expected)) typed += 1
    }
    return typed
  }
  try {
    const figures: Figure[] = []
    let typed = 0
    for (const fault of EVALUATOR_FAULTS) {
      const count = await typedOf(fault)
      typed += count
      figures.push(shown('P12', `${fault.name} → ${wordOf(fault)}`, count, `of ${ROUNDS}`))
    }
    const share = (100 * typed) / (EVALUATOR_FAULTS.length * ROUNDS)
    const what = 'injected faults that ended in their typed error'
    return [...figures, { id: 'P12', what, value: share, unit: '%', target: '= 100', met: share === 100 }]
  } finally {
    await client.close()
    await server.close()
  }
}
