/**
 * The ladder with real models that are small enough for any machine: SmolLM2-135M-Instruct (GGUF) writes, all-MiniLM-L6-v2 (ONNX) embeds. All seven
 * approaches answer the questions of `smoke` and twelve of each rung, spread evenly over its list, on all documents of the rung and with the same
 * amount of text, and two judges compare the answers. Every dataset runs twice: the second run shows that nothing is called again. The results are
 * published into a project of their own below the folder, and what the machine needed is appended to `small-real-models.jsonl`, a line for each dataset.
 *
 *     node tests/bench/small-real-models.ts FOLDER [DATASET …]
 *
 * `RAG_LADDER_GGUF_FILE` names another file of the model: `tests/bench/requantize-gguf.py` writes one that a processor reads twice as fast.
 * On `smoke` the model also writes the contexts of passages and grades faithfulness. On the rungs rules do that, because grading one answer takes this model
 * up to a minute and reading a passage 5 seconds. Rules read the documents into the graph everywhere, as what the model writes for it is refused for two of
 * the three documents of `smoke`, and rules judge: asked as a judge, the model repeats the answers up to the end of its context and names no grade.
 */
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseDocument, isSeq } from 'yaml'
import { RunEvent } from '../../contract/evidence/run-event.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { realWeights } from '../real/weights.ts'
import { measureTree } from './process-tree.ts'

const RUN = 'small-real-models'
const QUESTIONS = 12
/** Tokens of text for every approach: reading them is most of an answer's time. */
const CONTEXT_BUDGET = '600'
const DATASETS = ['smoke', 'baseline_curated', 'graph_native', 'cyber_threat_intel']
const SEVEN = [
  'vanilla-rag',
  'hybrid-rag',
  'contextual-rag',
  'graph-rag',
  'agentic-rag',
  'workflow-adaptive-rag',
  'lazy-graph-rag',
]

const SMALL = `backend: gguf, model: '\${RAG_LADDER_GGUF_FILE}', threads: 1, context_size: 4096, timeout_s: 300`
/** A person's own file of models. */
const SETS = `version: 2
sets:
  small-answers:
    description: SmolLM2-135M answers, MiniLM embeds; rules read the documents into the graph, write the contexts of passages and grade.
    default: { ${SMALL}, max_new_tokens: 96 }
    roles:
      embed: &embed { backend: onnx, model: '\${RAG_LADDER_EMBEDDING_DIR}', task: embedding, pooling: mean, max_tokens: 256 }
      evaluator_embed: *embed
      rerank: &rerank { backend: builtin, model: lexical-reranker }
      graph_extract: &extractor { backend: builtin, model: pattern-extractor }
      contextual_blurb: { backend: builtin, model: title-blurb }
      evaluator: { backend: builtin, model: rule-critic }
  small-everywhere:
    description: SmolLM2-135M answers, writes contexts and grades, MiniLM embeds; rules read the documents into the graph.
    default: { ${SMALL}, max_new_tokens: 96 }
    roles:
      embed: *embed
      evaluator_embed: *embed
      rerank: *rerank
      graph_extract: *extractor
      evaluator: { ${SMALL}, max_new_tokens: 64 }
`
const JUDGES = 'builtin-lexical-support,builtin-semantic-match'

/** Sets a dataset's models and options. */
const wayOf = (dataset: string): { set: string; more: string[] } =>
  dataset === 'smoke'
    ? { set: 'small-everywhere', more: ['--metrics', 'faithfulness'] }
    : { set: 'small-answers', more: [] }

const [folder, ...named] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: node tests/bench/small-real-models.ts FOLDER [DATASET …]')
  process.exit(2)
}
const language = await realWeights('smollm2-135m', { mayFetch: true })
const embedding = await realWeights('all-minilm-l6-v2', { mayFetch: true })
if (language.folder === null || embedding.folder === null) throw new Error(language.reason ?? embedding.reason ?? '')
const env = {
  RAG_LADDER_GGUF_FILE: process.env['RAG_LADDER_GGUF_FILE'] ?? join(language.folder, 'SmolLM2-135M-Instruct.Q4_1.gguf'),
  RAG_LADDER_EMBEDDING_DIR: embedding.folder,
}

const root = resolve(folder, 'project')
if (!existsSync(root)) await writeProject()
for (const dataset of named.length === 0 ? DATASETS : named) {
  const first = await climb(dataset)
  const second = await climb(dataset)
  const line = { dataset, measured_at: new Date().toISOString(), first, second }
  await appendFile(join(root, '..', `${RUN}.jsonl`), `${JSON.stringify(line)}\n`)
  console.log(JSON.stringify(line))
}

/** The project without what it has published, with twelve questions of each rung. */
async function writeProject(): Promise<void> {
  await mkdir(join(root, 'docs'), { recursive: true })
  for (const part of ['manifests', 'corpus']) await cp(join(PROJECT_ROOT, part), join(root, part), { recursive: true })
  const manifests = join(root, 'manifests/datasets')
  for (const file of await readdir(manifests)) {
    if (!DATASETS.includes(file.replace('.yaml', ''))) {
      await rm(join(manifests, file))
      continue
    }
    const document = parseDocument(await readFile(join(manifests, file), 'utf8'))
    document.delete('published')
    const questions = document.get('questions')
    if (!isSeq(questions)) throw new Error(`${file} has no list of questions`)
    const step = Math.max(1, questions.items.length / QUESTIONS)
    questions.items = questions.items.filter((_, index) => index % step < 1).slice(0, QUESTIONS)
    await writeFile(join(manifests, file), document.toString({ lineWidth: 0 }))
  }
  await mkdir(join(root, '.rag-ladder'))
  await writeFile(join(root, '.rag-ladder/models.yaml'), SETS)
}

/** One call of the command line. Throws when it failed for another reason than cells that failed, which are results. */
async function climb(dataset: string): Promise<Record<string, unknown>> {
  const steps: Record<string, number> = {}
  const cells: Record<string, number> = {}
  let plan: unknown = null
  let calls: Record<string, number> = {}
  const onLine = (line: string): void => {
    if (!line.startsWith('{')) return
    const event = RunEvent.parse(JSON.parse(line))
    if (event.type === 'plan.ready') plan = { total: event.plan.total, reuse: event.plan.reuse }
    else if (event.type === 'step.finished') steps[event.step] = Math.round(event.duration_ms / 100) / 10
    else if (event.type === 'usage.reported') calls = event.model_calls
    else if (event.type === 'cell.finished') {
      const outcome = event.error_type ?? event.status
      cells[outcome] = (cells[outcome] ?? 0) + 1
      console.error(`${dataset} ${event.question_id} ${event.model} ${outcome} ${Math.round(event.latency_ms)} ms`)
    } else if (event.type === 'step.failed') console.error(`${dataset} ${event.step}: ${event.message}`)
  }
  const { set, more } = wayOf(dataset)
  const cli = join(PROJECT_ROOT, 'bin/rag-ladder.mjs')
  const options = ['--project', root, '--run-id', RUN, '--dataset', dataset, '--model-set', set, ...more]
  const judging = ['--judge', '--judge-models', JUDGES]
  const args = [
    cli,
    'ladder',
    '--no-cold-reset',
    '--json',
    '--models',
    SEVEN.join(','),
    '--context-budget',
    CONTEXT_BUDGET,
    ...options,
    ...judging,
  ]
  const { code, wallS, peaks, output } = await measureTree(process.execPath, args, { env, cwd: root, onLine })
  if (code !== 0 && code !== 3) throw new Error(`ladder ended with ${code}:\n${output.slice(-3000)}`)
  return { exit_code: code, wall_s: Math.round(wallS), plan, cells, steps_s: steps, model_calls: calls, peak_mb: peaks }
}
