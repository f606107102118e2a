import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'

// The section Journeys of the architecture is a map of the code: a function that it names must be where it says, and the walk of a question must be
// walkable, each function called from one before it.

const MOST_FUNCTIONS = 20

const read = (file: string): Promise<string> => readFile(join(PROJECT_ROOT, file), 'utf8')
const [, journeys = ''] = /\n## Journeys\n([\s\S]*?)\n## /.exec(await read('docs/ARCHITECTURE.md')) ?? []
const [recipes = '', walk = ''] = journeys.split('### A walk of one question')

interface Named {
  name: string
  file: string
}

const named = (text: string, between: RegExp): Named[] =>
  [...text.matchAll(new RegExp(`\`(\\w+)\`${between.source}\`([\\w./-]+\\.ts)\``, 'g'))].map(([, name, file]) => ({
    name: name!,
    file: file!,
  }))

interface FunctionNames {
  declared: Set<string>
  used: Set<string>
}

const known = new Map<string, Promise<FunctionNames>>()

/** Names of the functions and methods that a file declares, and of those that it calls or hands on. */
function functionsOf(file: string): Promise<FunctionNames> {
  const names = known.get(file) ?? readFunctions(file)
  known.set(file, names)
  return names
}

async function readFunctions(file: string): Promise<FunctionNames> {
  const source = ts.createSourceFile(file, await read(file), ts.ScriptTarget.Latest, true)
  const declared = new Set<string>()
  const used = new Set<string>()
  const bare = (name: ts.Node): string => name.getText().replace(/^#/, '')
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name !== undefined)
      declared.add(bare(node.name))
    else if (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isArrowFunction(node.initializer))
      declared.add(bare(node.name))
    else if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const { parent } = node
      const isDeclaration =
        (ts.isFunctionDeclaration(parent) || ts.isMethodDeclaration(parent) || ts.isVariableDeclaration(parent)) &&
        parent.name === node
      if (!isDeclaration) used.add(bare(node))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { declared, used }
}

it('names five journeys, and only functions that their files declare', async () => {
  expect(recipes.match(/^\*\*[^*]+\.\*\*/gm)).toHaveLength(5)
  const all = [...named(recipes, /\s\(/), ...named(walk, / \| /)]
  expect(all.length).toBeGreaterThan(30)
  const missing: string[] = []
  for (const { name, file } of all)
    if (!(await functionsOf(file)).declared.has(name)) missing.push(`${file} declares no function ${name}`)
  expect(missing).toEqual([])
})

it('each journey starts with a function that numbers its steps in order', async () => {
  for (const paragraph of recipes.split('\n\n').filter((text) => text.startsWith('**'))) {
    const [top] = named(paragraph, /\s\(/)
    const text = await read(top!.file)
    const from = text.search(new RegExp(`function ${top!.name}\\(`))
    const body = text.slice(from, text.indexOf('\n}\n', from))
    const steps = [...body.matchAll(/\/\/ (\d)\. /g)].map(([, step]) => Number(step))
    const inText = [...paragraph.matchAll(/(?:^|\s)(\d)\. /g)].map(([, step]) => Number(step))
    expect([top!.name, steps.length >= 4, steps.toSorted((a, b) => a - b)]).toEqual([top!.name, true, steps])
    expect([top!.name, inText]).toEqual([top!.name, [...new Set(steps)]])
  }
})

it(`one question is answered in at most ${MOST_FUNCTIONS} functions, each called from a file before it`, async () => {
  const steps = named(walk, / \| /)
  expect(steps.length).toBeGreaterThan(10)
  expect(steps.length).toBeLessThanOrEqual(MOST_FUNCTIONS)
  const unreachable: string[] = []
  for (const [place, { name }] of steps.entries()) {
    if (place === 0) continue
    const callers = await Promise.all(steps.slice(0, place).map(({ file }) => functionsOf(file)))
    if (!callers.some(({ used }) => used.has(name))) unreachable.push(name)
  }
  expect(unreachable).toEqual([])
})

/** The file of each folder that a stranger reads first. */
const FIRST_FILES = [
  'main/cli/main.ts',
  'main/engine/create-engine.ts',
  'main/evaluation/evaluator-client.ts',
  'main/evidence/evidence-log.ts',
  'main/judge/run-panel.ts',
  'main/manifests/experiment.ts',
  'main/run-index/open-run-index.ts',
  'main/runner/run-ladder.ts',
  'main/statistics/compare-pairs.ts',
  'providers/platform/gateway/gateway.ts',
  'providers/platform/ingestion/ingestion-service.ts',
  'providers/platform/models/model-host.ts',
  'providers/platform/rag/plugin.ts',
  'providers/platform/stores/graph-engine/graph-engine.ts',
]

it.each(FIRST_FILES)('%s starts with what comes in, what goes out, and the order of the other files', async (file) => {
  const [top = ''] = /^(?:\/\/ .*\n)+/.exec(await read(file)) ?? []
  const lines = top.trim().split('\n')
  expect([lines.length >= 7, lines.length <= 12]).toEqual([true, true])
  expect(top).toContain('In: ')
  expect(top).toContain('Out: ')
  const steps = [...top.matchAll(/^\/\/ {3}(\d)\. /gm)].map(([, step]) => Number(step))
  expect(steps).toEqual(steps.map((_, place) => place + 1))
  const files = [...top.matchAll(/(?<![\w/-])(?:[\w-]+\/)*[\w-]+\.ts\b|(?<![\w/-])(?:[a-z-]+\/)+(?=[\s,;:(.)])/g)].map(
    ([name]) => name,
  )
  expect(files.length).toBeGreaterThanOrEqual(4)
  // Named from their folder, from the folder above, or from the project.
  const folders = [dirname(file), dirname(dirname(file)), '']
  const isThere = (name: string): boolean => folders.some((folder) => existsSync(join(PROJECT_ROOT, folder, name)))
  expect(files.filter((name) => !isThere(name))).toEqual([])
})
