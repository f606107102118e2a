import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TOOL_PAGES } from '../../core/pages.ts'
import { Page } from './states.tsx'
import styles from './tabs.module.css'

const WORDS = { tools: 'Tools' } as const

/** Frame of a page inside Tools: the tabs of all tools, and the tool below them. */
export function ToolPage({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  return (
    <Page
      title={WORDS.tools}
      tabs={
        <nav className={styles.tabs} aria-label={WORDS.tools}>
          {TOOL_PAGES.map(({ path, label }) => (
            <Link key={path} to={path} activeOptions={{ includeSearch: false }}>
              {label}
            </Link>
          ))}
        </nav>
      }
      aside={aside}
    >
      {children}
    </Page>
  )
}
