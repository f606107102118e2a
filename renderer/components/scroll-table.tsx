import type { ReactNode } from 'react'
import styles from './table.module.css'

interface ScrollTableProps {
  label: string
  className?: string | undefined
  /** The table itself has the name too. */
  isNamed?: boolean
  children: ReactNode
}

/** A table that scrolls sideways where the page is too narrow for it, by keyboard too. `label` names it. */
export function ScrollTable({ label, className = '', isNamed = false, children }: ScrollTableProps) {
  return (
    <div className={`${styles.scroll} ${className}`} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table} aria-label={isNamed ? label : undefined}>
        {children}
      </table>
    </div>
  )
}
