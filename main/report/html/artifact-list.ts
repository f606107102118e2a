import { h, type Markup } from './markup.ts'
import { dataTable } from './table.ts'

/** A file that figures of the page come from. */
export interface PageArtifact {
  datasetId: string
  /** Path relative to the page's own folder, with forward slashes. */
  href: string
  sha256: string
}

/** The page's artifacts with their hashes; a script fills the last column where it may read them. */
export function artifactList(artifacts: readonly PageArtifact[]): Markup {
  const sums = artifacts.map(sumLine)
  return h(
    'div',
    {},
    dataTable(
      'Files beside this page',
      [{ content: 'file' }, { content: 'dataset' }, { content: 'SHA-256' }, { content: 'now' }],
      artifacts.map(({ datasetId, href, sha256 }) => ({
        head: h('a', { href: addressOf(href), rel: 'noreferrer' }, href),
        cells: [
          { content: datasetId },
          { content: h('code', { class: 'hash' }, sha256) },
          {
            content: h('span', { class: 'check', 'data-file': addressOf(href), 'data-sha256': sha256 }, 'not checked'),
          },
        ],
      })),
    ),
    h(
      'p',
      {},
      'To check them yourself, save these lines as SHA256SUMS in the folder of this page and run sha256sum -c SHA256SUMS; or, on any system, run rag-ladder verify with the name of this page:',
    ),
    h('pre', { class: 'sums' }, { html: preformatted(sums.join('\n')) }),
  )
}

/** A relative path as an address; `#` and `?` in a file name stay part of it. */
const addressOf = (href: string): string => href.split('/').map(encodeURIComponent).join('/')

/**
 * One line for sha256sum, whose escape for line ends and backslashes in names starts the line with a backslash. It is data for a file, never a
 * command: a file name may hold anything, also the end of a shell's here-document.
 */
function sumLine({ href, sha256 }: PageArtifact): string {
  const escaped = href.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r')
  return `${escaped === href ? '' : '\\'}${sha256}  ${escaped}`
}

/** Names and hashes line by line: blanks and line ends count here. */
const preformatted = (text: string): string =>
  text.replace(/[&<>]/g, (character) => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'))
