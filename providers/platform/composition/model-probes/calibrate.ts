// The pace of a model on this machine: three answers to prompts as long as a run's, one after another. Each prompt begins in another way, so that no prompt cache
// serves it.
import { performance } from 'node:perf_hooks'
import type { CalibrationCall } from '../../../../contract/control/models.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { renderAnswerTask } from '../../models/prompts/answer-task.ts'

const CALIBRATION_CALLS = 3

const HARBOURS = ['Ternmouth', 'Skerry', 'Colm', 'Aldwick', 'Ravenhithe']
const WORKS = ['lock', 'lighthouse', 'dry dock', 'signal mast', 'tide gauge', 'coal pier', 'pilot house']

/** About 2,000 tokens, as many as a run hands over unless another budget is asked for. */
function passages(call: number): { title: string; text: string }[] {
  return HARBOURS.map((_, place) => {
    const harbour = HARBOURS[(place + call) % HARBOURS.length]!
    const sentences = Array.from({ length: 14 }, (__, line) => {
      const work = WORKS[(line + call) % WORKS.length]!
      const year = 1850 + ((line * 7 + place * 13 + call * 3) % 90)
      return `The ${work} of ${harbour} was rebuilt in ${year}, after the flood had broken wall ${line + 1}, and cost the board ${year * 3} crowns.`
    })
    return { title: harbour, text: sentences.join(' ') }
  })
}

/** Three answers of one model. Throws what an approach would see. */
export async function calibrate(models: ModelHost, signal?: AbortSignal): Promise<CalibrationCall[]> {
  const calls: CalibrationCall[] = []
  for (let call = 0; call < CALIBRATION_CALLS; call += 1) {
    const question = `When was the ${WORKS[call]} of ${HARBOURS[call]} rebuilt, why, and at what cost?`
    const started = performance.now()
    const messages = renderAnswerTask({ question, passages: passages(call) })
    const { usage } = await models.chat('light_gen', { messages, temperature: 0 }, signal)
    calls.push({
      latency_ms: performance.now() - started,
      input_tokens: usage?.prompt_tokens ?? null,
      output_tokens: usage?.completion_tokens ?? null,
    })
  }
  return calls
}
