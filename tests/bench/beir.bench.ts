import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RunEvent } from '../../contract/evidence/run-event.ts'
import { writeBeirSet } from '../helpers/beir-set.ts'
import { smokeProject } from '../helpers/cli.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { shown, type Figure } from './figure.ts'
import { measureTree, type MeasuredTree } from './process-tree.ts'

const QUESTIONS = 100
const APPROACHES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag']
/** Phases that only a graph or the lazy index read. */
const NOT_READ = ['graph_upload', 'drain']

/** Sets the number of documents: `RAG_LADDER_BENCH_DOCUMENTS=20000` asks for others. */
const size = (): number => Number(process.env['RAG_LADDER_BENCH_DOCUMENTS'] ?? 50_000)

async function command(
  root: string,
  args: readonly string[],
  onEvent: (event: RunEvent) => void,
): Promise<MeasuredTree> {
  const entry = join(PROJECT_ROOT, 'bin/rag-ladder.mjs')
  const measured = await measureTree(process.execPath, [entry, ...args, '--project', root], {
    cwd: root,
    env: { PLATFORM_PORT: '0' },
    onLine: (line) => {
      const parsed = line.startsWith('{') ? RunEvent.safeParse(JSON.parse(line)) : null
      if (parsed?.success === true) onEvent(parsed.data)
    },
  })
  if (measured.code !== 0)
    throw new Error(`${args.join(' ')} ended with ${String(measured.code)}:\n${measured.output.slice(-3000)}`)
  return measured
}

/** A corpus in BEIR's form from its import to the answers: as whole processes, with the memory of all of them. */
export async function benchBeir(): Promise<Figure[]> {
  const documents = size()
  const root = await smokeProject()
  try {
    const source = join(root, 'beir')
    const bytes = await writeBeirSet(source, documents, QUESTIONS)
    const imported = await command(root, ['dataset', 'import', source, '--as', 'many'], () => undefined)
    console.error(imported.output.trim())
    const steps = new Map<string, number>()
    const phases = new Map<string, string>()
    let cells = 0
    const answered = await command(
      root,
      ['ladder', '--dataset', 'many', '--models', APPROACHES.join(','), '--run-id', 'bench', '--json', '--no-publish'],
      (event) => {
        if (event.type === 'step.finished') steps.set(event.step, event.duration_ms / 1000)
        if (event.type === 'ingestion.progressed') phases.set(event.phase, event.status)
        if (event.type === 'cell.finished' && event.status === 'ok') cells += 1
      },
    )
    console.error([...steps].map(([step, seconds]) => `${step} ${seconds.toFixed(1)} s`).join(', '))
    console.error([...phases].map(([phase, status]) => `${phase} ${status}`).join(', '))
    const built = NOT_READ.filter((phase) => phases.get(phase) === 'completed')
    if (built.length > 0) throw new Error(`built without an approach that reads it: ${built.join(', ')}`)
    const ingestS = steps.get('ingest')!
    const contextS = steps.get('contextualize') ?? 0
    const cellsS = steps.get('cells')!
    return [
      shown('K', `${documents.toLocaleString('en')} documents in BEIR format: text`, bytes / 1e6, 'MB'),
      shown('K', 'import', imported.wallS, 's'),
      shown('K', 'import: documents a second', documents / imported.wallS, ''),
      shown('K', 'import: most memory of all processes', imported.peaks['all'] ?? Number.NaN, 'MB'),
      shown('K', 'ingestion', ingestS, 's'),
      shown('K', 'ingestion: documents a second', documents / ingestS, ''),
      shown('K', 'contexts of contextual-rag', contextS, 's'),
      shown(
        'K',
        `${QUESTIONS} questions × ${APPROACHES.join(', ')}: cells answered`,
        cells,
        `of ${QUESTIONS * APPROACHES.length}`,
      ),
      shown('K', 'these cells', cellsS, 's'),
      shown('K', 'whole run, from its start to its tables', answered.wallS, 's'),
      shown('K', 'run: most memory of all processes', answered.peaks['all'] ?? Number.NaN, 'MB'),
      shown('K', 'run: most memory of the platform', answered.peaks['platform'] ?? Number.NaN, 'MB'),
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
