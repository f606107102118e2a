import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels } from '../../../../tests/helpers/scripted-models.ts'

const bench = useEngineBench()

/** One fact a paragraph, each long enough to be a chunk of its own at 80 characters. */
const fact = (from: string, to: string) =>
  `${from}/person > met > ${to}/person: ${from} met ${to} on the quay one morning.`
const DOCUMENTS = {
  'a.md': [fact('Ada', 'Bo'), fact('Bo', 'Cy')].join('\n\n'),
  'b.md': [fact('Cy', 'Di'), `${fact('Di', 'Ed')} HANG`, fact('Ed', 'Fi')].join('\n\n'),
  'c.md': [fact('Fi', 'Gus'), fact('Ada', 'Bo')].join('\n\n'),
}
const LIMITS = { chunkChars: 80, parallelDocuments: 1, parallelChunks: 1 }

async function killWhileHanging(file: string): Promise<string[]> {
  const script = fileURLToPath(new URL('../../../../tests/helpers/hanging-graph-engine.ts', import.meta.url))
  const child = spawn(process.execPath, [script, file, JSON.stringify(DOCUMENTS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('hanging')) break
  }
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  return lines
}

it('takes up a killed queue: no chunk is extracted twice, no weight counted twice', async () => {
  expect(await killWhileHanging(bench.file())).toEqual([
    'extracting a.md',
    'extracting a.md',
    'extracting b.md',
    'hanging b.md',
  ])

  const models = scriptedModels()
  const engine = bench.open({ models, limits: LIMITS })
  await engine.idle()
  expect(models.extracted).toEqual(['b.md', 'b.md', 'c.md', 'c.md'])
  expect(engine.statusCounts()).toMatchObject({ all: 3, processed: 3 })

  const unbroken = bench.open({ stateFile: bench.file('unbroken'), limits: LIMITS })
  await feed(unbroken, DOCUMENTS)
  expect(await engine.graph(50)).toEqual(await unbroken.graph(50))
  expect((await engine.graph(50)).edges.find(({ source }) => source === 'ada')?.weight).toBe(2)
})
