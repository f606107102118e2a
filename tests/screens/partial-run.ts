import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answerOf } from '../faults/answering-model.ts'
import type { AskedOfModel } from '../helpers/capable-model.ts'
import { type EngineProcess, eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { startModelService } from '../helpers/model-service.ts'
import { emptyProject, removeProject } from '../helpers/seeded-project.ts'

/** A finished run of which a part failed, with the engine that shows it. */
export interface PartialRun {
  engine: EngineProcess
  run: string
  dataset: string
  /** A cell that failed, and one that was answered. */
  rows: { error: string; ok: string }
  close: () => Promise<void>
}

const RUN = 'failed-in-part'
const DATASET = 'graph_native'

const sumOf = (text: string): number => Buffer.from(text).reduce((sum, byte) => sum + byte, 0)

/** Answers most questions, refuses some, lets some wait beyond their time limit, and grades one metric in prose instead of JSON. */
const startHalfBrokenService = () =>
  startModelService(({ path, body }) => {
    // The list of models, and what only some services have.
    if (body === null)
      return path === '/v1/models' ? { json: { data: [{ id: 'half-broken' }] } } : { status: 404, json: {} }
    const asked = body as AskedOfModel
    const texts = asked.messages.map(({ content }) => content).join('\n')
    const isGrading = /separate factual claims|numbered statement|answer refuses|different questions/.test(texts)
    const kind = isGrading ? -1 : sumOf(texts) % 64
    if (kind > 0 && kind < 8)
      return { status: 400, json: { error: { message: 'the prompt was refused by a filter of this service' } } }
    // Nothing is ever written: the caller's time limit ends the call.
    if (kind === 0) return { raw: () => undefined }
    const message = /separate factual claims/.test(texts) ? { content: 'It states that it is so.' } : answerOf(asked)
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 400, completion_tokens: 30, total_tokens: 430 }
    return { json: { id: 'x', object: 'chat.completion', created: 0, model: 'half-broken', choices, usage } }
  })

/** Runs a dataset by a model service that fails now and then, and waits for the end. */
export async function startPartialRun(): Promise<PartialRun> {
  const service = await startHalfBrokenService()
  const root = await emptyProject()
  const manifest = await readFile(join(root, 'manifests/models.yaml'), 'utf8')
  const builtin = /  builtin:\n[\s\S]*?    roles: &rules\n([\s\S]*?)  local-embeddings:/.exec(manifest)![1]!
  const model = '{ connection: half-broken, model: half-broken }'
  const roles = builtin
    .replace(/light_gen: .*/, `light_gen: ${model}`)
    .replace(/ evaluator: .*/, ` evaluator: ${model}`)
  await mkdir(join(root, '.rag-ladder'), { recursive: true })
  await writeFile(
    join(root, '.rag-ladder/models.yaml'),
    `version: 2\nconnections: { half-broken: { kind: compatible, base_url: '${service.url}/v1', timeout_s: 2 } }\nsets:\n  half-broken:\n    roles:\n${roles}`,
  )
  const engine = await startEngine(root)
  const { client } = engine
  await client.settings.savePanel({ tour_seen: true })
  const { aliases, judge_panel: panel } = await client.experiment.get()
  await client.runs.start({
    run_id: RUN,
    dataset_ids: [DATASET],
    models: aliases.filter(({ by_default: isByDefault }) => isByDefault).map(({ alias }) => alias),
    model_set: 'half-broken',
    judge: { enabled: true, models: panel.builtin },
  })
  await eventsUntil(
    client,
    { after: 0 },
    (event) => event.type === 'run.changed' && ['completed', 'failed'].includes(event.job.state),
  )
  const input = { run_id: RUN, dataset_id: DATASET, metric: 'answer_relevancy' as const, limit: 50 }
  const cells = (await client.matrix.page(input)).rows.flatMap((row) => row.cells)
  const rowOf = (status: 'error' | 'ok'): string => cells.find((cell) => cell?.status === status)!.row_id
  return {
    engine,
    run: RUN,
    dataset: DATASET,
    rows: { error: rowOf('error'), ok: rowOf('ok') },
    close: async () => {
      await engine.stop()
      await service.close()
      await removeProject(root)
    },
  }
}
