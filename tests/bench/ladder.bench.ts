import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunEvent } from '../../contract/evidence/run-event.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { atMost, shown, type Figure } from './figure.ts'
import { measureProcess } from './measured-process.ts'

const CLI = join(PROJECT_ROOT, 'bin/rag-ladder.mjs')

interface Climb {
  wallS: number
  cells: number
  reused: number
  /** Model calls that the platform counted, of all datasets. */
  modelCalls: number
  aliasCalls: number
}

const sum = (calls: Readonly<Record<string, number>>): number =>
  Object.values(calls).reduce((total, count) => total + count, 0)

/** `npm run ladder` as a whole process. Throws when a cell has no answer. */
async function climb(root: string): Promise<Climb> {
  const found: Climb = { wallS: 0, cells: 0, reused: 0, modelCalls: 0, aliasCalls: 0 }
  const onLine = (line: string): void => {
    if (!line.startsWith('{')) return
    const event = RunEvent.parse(JSON.parse(line))
    if (event.type === 'plan.ready') {
      found.cells += event.plan.total
      found.reused += event.plan.reuse
    } else if (event.type === 'usage.reported') {
      found.modelCalls += sum(event.model_calls)
      found.aliasCalls += sum(event.alias_calls)
    }
  }
  const args = [CLI, 'ladder', '--no-cold-reset', '--no-publish', '--project', root, '--run-id', 'bench', '--json']
  const { code, output, wallS } = await measureProcess(process.execPath, args, {}, onLine)
  if (code !== 0) throw new Error(`ladder ended with ${code}:\n${output.slice(-2000)}`)
  return { ...found, wallS }
}

/** The whole ladder on the embedded platform, from nothing, and again over what it left. */
export async function benchLadder(): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'ladder-bench-'))
  try {
    await mkdir(join(root, 'docs'))
    for (const part of ['manifests', 'corpus'])
      await cp(join(PROJECT_ROOT, part), join(root, part), { recursive: true })
    const first = await climb(root)
    const second = await climb(root)
    return [
      atMost('ladder', `whole ladder, ${first.cells} cells, from nothing`, first.wallS, 's', 180),
      shown('ladder', 'model calls of these', first.modelCalls, ''),
      shown('ladder', 'second run: rows reused', second.reused, `of ${second.cells}`),
      atMost('ladder', 'second run: model calls', second.modelCalls, '', 0),
      atMost('ladder', 'second run: calls at the gateway', second.aliasCalls, '', 0),
      shown('ladder', 'second run, whole process', second.wallS, 's'),
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
