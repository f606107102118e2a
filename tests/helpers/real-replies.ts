/**
 * Replies of SmolLM2-135M-Instruct out of the run that docs/results/small-real-models publishes, in `tests/fixtures/real-replies.json`. This writes the file:
 *
 *     node tests/helpers/real-replies.ts FOLDER    # the folder `results` of the project that tests/bench/small-real-models.ts ran in
 *
 * Published rows name the digest of each response; its text is in the files `…-evidence.traces.jsonl` of the run, which are not published.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { ChatCompletion, messageText, type ChatRequest } from '../../contract/http/chat.ts'
import { AGENT_PROMPT, ANSWER_PROMPT, type Prompt } from '../../contract/prompts.ts'
import { readTraceTexts } from '../../main/evidence/traces/trace-texts.ts'
import { readPublished } from '../../main/report/publication/published-folder.ts'
import { KEYWORDS_PROMPT } from '../../providers/platform/models/prompts/keywords-task.ts'
import { ROUTE_PROMPT } from '../../providers/platform/models/prompts/classify-task.ts'
import { PROJECT_ROOT } from './project-root.ts'

/** A model wrote this for one task: a reply, and the second one where the first was asked for again. `step` is the index in the trace of the row. */
export interface RealTask {
  run: string
  dataset: string
  key: string
  row_id: string
  role: string
  prompt: string
  replies: { step: number; response: ChatCompletion }[]
}

const RUN = 'small-real-models'
const DATASETS = { sm: 'smoke', bc: 'baseline_curated', gn: 'graph_native', ct: 'cyber_threat_intel' }
/** Question, approach, and steps in the trace of the row. */
const CHOSEN = `
sm-01 lazy-graph-rag 4, sm-01 graph-rag 7, bc-30 contextual-rag 4, bc-11 lazy-graph-rag 4, ct-20 vanilla-rag 3,
sm-01 agentic-rag 1, sm-02 agentic-rag 1, bc-11 agentic-rag 1, bc-11 agentic-rag 6, ct-86 agentic-rag 1,
sm-01 workflow-adaptive-rag 3, bc-20 workflow-adaptive-rag 3, gn-48 workflow-adaptive-rag 3,
sm-01 graph-rag 2, sm-04 graph-rag 2 3, bc-20 graph-rag 2, gn-01 graph-rag 2, ct-11 graph-rag 2, ct-30 graph-rag 2,
sm-01 vanilla-rag 5, sm-01 vanilla-rag 6, sm-01 lazy-graph-rag 8 9, sm-03 agentic-rag 8 9, sm-03 agentic-rag 10 11, sm-03 vanilla-rag 5 6`
const FIXTURE = join(PROJECT_ROOT, 'tests/fixtures/real-replies.json')

export const realTasks = (): RealTask[] => JSON.parse(readFileSync(FIXTURE, 'utf8')) as RealTask[]

/** The published rows of a dataset. */
export async function publishedRows(dataset: string): Promise<CanonicalRow[]> {
  const file = join(PROJECT_ROOT, 'docs/results', RUN, `${RUN}-${dataset}-evidence.jsonl.br`)
  const lines = (await readPublished(file)).toString('utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as CanonicalRow)
}

async function record(folder: string, key: string): Promise<RealTask> {
  const [question, approach, ...steps] = key.split(' ')
  const dataset = DATASETS[question!.slice(0, 2) as keyof typeof DATASETS]
  const rows = await publishedRows(dataset)
  const row = rows.find((one) => one.question.id === question && one.approach.model === approach)!
  const evidence = join(folder, `${RUN}-${dataset}-evidence.jsonl`)
  const stored = async (text: { sha256: string } | undefined): Promise<unknown> =>
    JSON.parse((await readTraceTexts(evidence, new Set([text!.sha256]))).get(text!.sha256)!)
  const called = steps.map((step) => ({ step: Number(step), ...row.trace!.steps[Number(step)]! }))
  const asked = (await stored(called[0]!.request)) as ChatRequest
  const format = asked.response_format as { json_schema: { name: string } } | undefined
  const prompts = [ANSWER_PROMPT, AGENT_PROMPT, ROUTE_PROMPT, KEYWORDS_PROMPT]
  const isOf = ({ instructions }: Prompt) => messageText(asked.messages[0]!).startsWith(instructions[0]!)
  const prompt = format?.json_schema.name ?? prompts.find(isOf)!.name
  const replies: RealTask['replies'] = []
  for (const { step, response } of called)
    replies.push({ step, response: ChatCompletion.parse(await stored(response)) })
  return { run: RUN, dataset, key, row_id: row.row_id, role: called[0]!.name.split(':')[0]!, prompt, replies }
}

if (import.meta.main) {
  const tasks: RealTask[] = []
  for (const key of CHOSEN.split(',')) tasks.push(await record(process.argv[2]!, key.trim()))
  writeFileSync(FIXTURE, `${JSON.stringify(tasks, null, 2)}\n`)
}
