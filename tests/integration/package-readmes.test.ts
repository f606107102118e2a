import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { packageReadmes } from '../bench/package-readmes.ts'

const PROSE = 'It reads a file and returns what it holds. '.repeat(80)

/** A project with installed packages: description and readme of each by its name. */
async function project(packages: Record<string, readonly [description: string, readme: string]>): Promise<string> {
  const root = await temporaryFolder('readmes')
  for (const [name, [description, readme]] of Object.entries(packages)) {
    const folder = join(root, 'node_modules', name)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, description }))
    await writeFile(join(folder, 'README.md'), readme)
  }
  return root
}

test('a question is the description of a package, and its readme without that sentence is gold', async () => {
  const description = 'Splits long lists into even parts.'
  const root = await project({
    zeta: ['Counts the words of a text quickly', `# zeta\n\n${PROSE}`],
    '@scope/alpha': [description, `# alpha\n\n> splits **long lists** into even parts\n\n${PROSE}`],
  })
  const { documents, questions } = await packageReadmes(root)
  expect(questions).toEqual([
    { id: '@scope/alpha', text: description, gold: [{ document: 'scope-alpha.md' }], secondHalf: false },
    { id: 'zeta', text: 'Counts the words of a text quickly', gold: [{ document: 'zeta.md' }], secondHalf: true },
  ])
  expect(documents.get('scope-alpha.md')).not.toContain('long lists')
  expect(documents.get('scope-alpha.md')).toContain('It reads a file')
})

test('a package is no question where its description names it, is short, or is the same as another', async () => {
  const root = await project({
    alpha: ['The alpha parser of long files', PROSE],
    beta: ['Parses files', PROSE],
    gamma: ['Parses long files in many parts', PROSE],
    gamma2: ['Parses long files in many parts', PROSE],
    short: ['Reads one file after the other', 'Too short.'],
  })
  const { documents, questions } = await packageReadmes(root)
  expect(questions.map(({ id }) => id)).toEqual(['gamma'])
  // Documents that are not asked for are in the way of those that are.
  expect([...documents.keys()]).toEqual(['alpha.md', 'beta.md', 'gamma.md'])
})
