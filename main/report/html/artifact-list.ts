import { h, type Markup } from './markup.ts'
import { dataTable } from './table.ts'

/** A file that figures of the page come from. */
export interface PageArtifact {
  datasetId: string
  /** Where it stands, seen from the page's own folder; forward slashes. */
  href: string
  sha256: string
}

/** The page's artifacts with their hashes; a script fills the last column where it may read them. */
export function artifactList(artifacts: readonly PageArtifact[]): Markup {
  const sums = artifacts.map(({ href, sha256 }) => `${sha256}  ${href}`).join('\n')
  return h(
    'div',
    {},
    dataTable(
      'Files beside this page',
      [{ content: 'file' }, { content: 'dataset' }, { content: 'SHA-256' }, { content: 'now' }],
      artifacts.map(({ datasetId, href, sha256 }) => ({
        head: h('a', { href: encodeURI(href), rel: 'noreferrer' }, href),
        cells: [
          { content: datasetId },
          { content: h('code', { class: 'hash' }, sha256) },
          {
            content: h('span', { class: 'check', 'data-file': encodeURI(href), 'data-sha256': sha256 }, 'not checked'),
          },
        ],
      })),
    ),
    h(
      'p',
      {},
      'To check them yourself, in the folder of this page (or, on any system, by rag-ladder verify and the name of this page):',
    ),
    h('pre', { class: 'sums' }, { html: `sha256sum -c &lt;&lt;'END'\n${preformatted(sums)}\nEND` }),
  )
}

/** Names and hashes line by line: blanks and line ends count here. */
const preformatted = (text: string): string =>
  text.replace(/[&<>]/g, (character) => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'))
