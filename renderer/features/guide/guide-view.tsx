import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { guideBlocks, guideSpans, type GuideBlock } from './guide-markdown.ts'
import { guideTarget } from './guide-pages.ts'
import styles from './guide.module.css'
import { GUIDE_WORDS } from './guide-words.ts'
import { TableHead } from '../../components/tables.tsx'

const WORDS = GUIDE_WORDS.guideView

/** A page of the guide. `page` is its name, which links to its own headings start from. */
export function GuideView({ markdown, page }: { markdown: string; page: string }) {
  // The first heading is the page's title, which the frame shows.
  const blocks = guideBlocks(markdown).filter((block) => block.kind !== 'heading' || block.level > 1)
  return (
    <article className={styles.text}>
      <Blocks blocks={blocks} page={page} />
    </article>
  )
}

function Blocks({ blocks, page }: { blocks: readonly GuideBlock[]; page: string }) {
  return blocks.map((block, index) => <Block key={index} block={block} page={page} />)
}

function Block({ block, page }: { block: GuideBlock; page: string }) {
  switch (block.kind) {
    case 'heading': {
      const Heading = block.level === 2 ? 'h2' : 'h3'
      return (
        <Heading id={block.id} tabIndex={-1}>
          <Spans text={block.text} page={page} />
        </Heading>
      )
    }
    case 'paragraph':
      return (
        <p>
          <Spans text={block.text} page={page} />
        </p>
      )
    case 'code':
      return (
        <pre tabIndex={0} role="region" aria-label={WORDS.code}>
          {block.text}
        </pre>
      )
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={index}>
              <Blocks blocks={item} page={page} />
            </li>
          ))}
        </List>
      )
    }
    case 'table':
      return (
        <div className={styles.table} tabIndex={0} role="region" aria-label={WORDS.table}>
          <table>
            {block.head.some((cell) => cell !== '') && (
              <TableHead columns={block.head.map((cell) => ({ head: <Spans text={cell} page={page} /> }))} />
            )}
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      <Spans text={cell} page={page} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

function Spans({ text, page }: { text: string; page: string }) {
  return guideSpans(text).map((span, index) => {
    switch (span.kind) {
      case 'code':
        return <code key={index}>{span.text}</code>
      case 'strong':
        return <strong key={index}>{span.text}</strong>
      case 'emphasis':
        return <em key={index}>{span.text}</em>
      case 'link': {
        const target = guideTarget(span.target, page)
        return target === null ? (
          <span key={index}>{span.text}</span>
        ) : (
          <Link key={index} to="/guide" search={target}>
            {span.text}
          </Link>
        )
      }
      case 'text':
        return <Fragment key={index}>{span.text}</Fragment>
    }
  })
}
