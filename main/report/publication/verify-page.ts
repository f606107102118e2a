import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { hashFile } from '../../lib/files/hash-file.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { ladderPage } from '../html/ladder-page.ts'
import { digestState } from '../html/page-digest.ts'
import type { PageArtifact } from '../html/run-facts.ts'
import { isParaphrased } from '../tables/paraphrase-differences.ts'
import { readAggregate } from './write-artifacts.ts'

/** A file that a report page names, as it is now. */
interface PageFile {
  /** As the page names it, relative to the page. */
  name: string
  state: 'same' | 'changed' | 'missing'
}

/**
 * `remade`: this version writes the same page from these files. `figures`: its figures are those of the page that this version writes, in their order.
 * `other_figures`: they are not. `same`: it matches the digest in it, and nothing to compare it with can be made. `changed`: it does not match. `absent`:
 * it has no digest, and other figures or nothing to compare it with.
 */
export type PageState = 'remade' | 'figures' | 'other_figures' | 'same' | 'changed' | 'absent'

interface PageReport {
  files: PageFile[]
  page: PageState
}

const ROW =
  /<td>([^<]*)<\/td><td><code class="hash">[0-9a-f]{64}<\/code><\/td><td><span class="check" data-file="([^"]*)" data-sha256="([0-9a-f]{64})"/g
/** Files that could not be used are on a page and not among its artifacts. */
const LEFT_OUT = 'Files that were left out'
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&#39;': "'" }
const plain = (text: string): string => text.replace(/&(?:amp|#39);/g, (entity) => ENTITIES[entity]!)

/**
 * Compares a report page with the digest in it, with the page that its files give, and the files beside it with the hashes in it. Rejects with the
 * system's error for files that are there and cannot be read.
 */
export async function verifyPage(page: string): Promise<PageReport> {
  const text = await readFile(page, 'utf8')
  const folder = dirname(page)
  const artifacts = [...text.matchAll(ROW)].map(([, dataset, address, sha256]): PageArtifact => {
    return { datasetId: plain(dataset!), href: decodeURIComponent(plain(address!)), sha256: sha256! }
  })
  const files: PageFile[] = []
  for (const { href: name, sha256 } of artifacts) {
    const now = await orIfMissing(hashFile(resolve(folder, name)), null)
    files.push({ name, state: now === null ? 'missing' : now.sha256 === sha256 ? 'same' : 'changed' })
  }
  const state = digestState(text)
  if (state === 'changed' || files.some((file) => file.state !== 'same')) return { files, page: state }
  const again = await remade(folder, artifacts)
  if (again === null || text.includes(LEFT_OUT)) return { files, page: state }
  if (again === text) return { files, page: 'remade' }
  if (isDeepStrictEqual(figuresOf(again), figuresOf(text))) return { files, page: 'figures' }
  // An early version may have drawn its charts otherwise.
  return { files, page: state === 'absent' ? 'absent' : 'other_figures' }
}

/** Every number of the page's body, in order: figures, and where charts draw them. Character references such as `&#39;` are left out. */
const figuresOf = (page: string): readonly string[] =>
  page
    .slice(page.indexOf('<body'), page.lastIndexOf('<script'))
    .replace(/&#\d+;/g, '')
    .match(/\d+(?:[.,]\d+)*/g) ?? []

/** The page of the summaries that a page names; null where one cannot be read, or belongs to a run that needs its rows too. */
async function remade(folder: string, artifacts: readonly PageArtifact[]): Promise<string | null> {
  const summaries = artifacts.filter(({ href }) => href.endsWith('-evaluation.json'))
  const datasets = new Set(artifacts.map(({ datasetId }) => datasetId))
  const aggregates: Aggregate[] = []
  for (const { href } of summaries) {
    const aggregate = await readAggregate(resolve(folder, href))
    if (aggregate === null || isParaphrased(aggregate)) return null
    aggregates.push(aggregate)
  }
  return aggregates.length === datasets.size ? ladderPage({ aggregates, artifacts }) : null
}
