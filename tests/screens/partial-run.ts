import { answerOf } from '../faults/answering-model.ts'
import type { AskedOfModel } from '../helpers/capable-model.ts'
import { type EngineProcess, eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { startModelService } from '../helpers/model-service.ts'
import { writeModelSet } from '../helpers/model-set.ts'
import { emptyProject, removeProject } from '../helpers/seeded-project.ts'

/** A run by a model service of this program, with the engine that shows it. */
interface ServedRun {
  engine: EngineProcess
  run: string
  dataset: string
  close: () => Promise<void>
}

/** A finished run of which a part failed. */
export interface PartialRun extends ServedRun {
  /** A cell that failed, and one that was answered. */
  rows: { error: string; ok: string }
}

const DATASET = 'graph_native'
const MODEL = 'example-model'

const sumOf = (text: string): number => Buffer.from(text).reduce((sum, byte) => sum + byte, 0)

/** Answers a request without a body: the list of models, and 404 for what only some services have. */
const listOfModels = (path: string) =>
  path === '/v1/models' ? { json: { data: [{ id: MODEL }] } } : { status: 404, json: {} }

const completion = (message: object) => ({
  json: {
    id: 'x',
    object: 'chat.completion',
    created: 0,
    model: MODEL,
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 400, completion_tokens: 30, total_tokens: 430 },
  },
})

/** Answers most questions, refuses some, lets some wait beyond their time limit, and grades one metric in prose instead of JSON. */
const startHalfBrokenService = () =>
  startModelService(({ path, body }) => {
    if (body === null) return listOfModels(path)
    const asked = body as AskedOfModel
    const texts = asked.messages.map(({ content }) => content).join('\n')
    const isGrading = /separate factual claims|numbered statement|answer refuses|different questions/.test(texts)
    const kind = isGrading ? -1 : sumOf(texts) % 64
    if (kind > 0 && kind < 8)
      return { status: 400, json: { error: { message: 'the prompt was refused by a filter of this service' } } }
    // Nothing is ever written: the caller's time limit ends the call.
    if (kind === 0) return { raw: () => undefined }
    const message = /separate factual claims/.test(texts) ? { content: 'It states that it is so.' } : answerOf(asked)
    return completion(message)
  })

/** Starts a service that answers this many times, and then lets every call wait. */
const startWaitingService = (answers: number) => {
  let left = answers
  return startModelService(({ path, body }) => {
    if (body === null) return listOfModels(path)
    left -= 1
    return left < 0 ? { raw: () => undefined } : completion(answerOf(body as AskedOfModel))
  })
}

/** Starts a run of a dataset by a model service. */
async function startServedRun(
  run: string,
  service: Awaited<ReturnType<typeof startModelService>>,
  timeoutS: number,
): Promise<ServedRun> {
  const root = await emptyProject()
  const model = `{ connection: example, model: ${MODEL} }`
  await writeModelSet(root, 'example', { url: `${service.url}/v1`, timeoutS }, (roles) =>
    roles.replace(/light_gen: .*/, `light_gen: ${model}`).replace(/ evaluator: .*/, ` evaluator: ${model}`),
  )
  const engine = await startEngine(root)
  const { client } = engine
  await client.settings.savePanel({ tour_seen: true })
  const { aliases, judge_panel: panel } = await client.experiment.get()
  await client.runs.start({
    run_id: run,
    dataset_ids: [DATASET],
    models: aliases.filter(({ by_default: isByDefault }) => isByDefault).map(({ alias }) => alias),
    model_set: 'example',
    judge: { enabled: true, models: panel.builtin },
  })
  const close = async (): Promise<void> => {
    await engine.stop()
    await service.close()
    await removeProject(root)
  }
  return { engine, run, dataset: DATASET, close }
}

/** Runs a dataset by a model service that fails now and then, and waits for the end. */
export async function startPartialRun(): Promise<PartialRun> {
  const served = await startServedRun('failed-in-part', await startHalfBrokenService(), 2)
  const { client } = served.engine
  await eventsUntil(
    client,
    { after: 0 },
    (event) => event.type === 'run.changed' && ['completed', 'failed'].includes(event.job.state),
  )
  const input = { run_id: served.run, dataset_id: DATASET, metric: 'answer_relevancy' as const, limit: 50 }
  const cells = (await client.matrix.page(input)).rows.flatMap((row) => row.cells)
  const rowOf = (status: 'error' | 'ok'): string => cells.find((cell) => cell?.status === status)!.row_id
  return { ...served, rows: { error: rowOf('error'), ok: rowOf('ok') } }
}

/** Runs a dataset by a model service that stops answering, and waits until the run has some of its answers. */
export async function startRunUnderWay(): Promise<ServedRun> {
  const served = await startServedRun('under-way', await startWaitingService(400), 600)
  const { client } = served.engine
  let finished = 0
  await eventsUntil(client, { after: 0 }, (event) => event.type === 'cell.finished' && (finished += 1) >= 40)
  const close = async (): Promise<void> => {
    await client.runs.cancel({ run_id: served.run })
    await served.close()
  }
  return { ...served, close }
}
