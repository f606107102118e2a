import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { EmptyPanel, ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { GUIDE_CONTENTS, loadGuidePage } from '../features/guide/guide-pages.ts'
import { GuideView } from '../features/guide/guide-view.tsx'
import { useTour } from '../stores/tour.ts'
import styles from '../features/guide/guide.module.css'
import { GUIDE_WORDS } from '../features/guide/guide-words.ts'

const WORDS = GUIDE_WORDS.page

/** The guide as it is in `docs/guide`: part of the app, so it needs no network. */
export function GuidePage() {
  const { page = GUIDE_CONTENTS[0].name, at } = useSearch({ from: '/guide' })
  const { data, error, isPending } = useQuery({
    queryKey: ['guide', page],
    queryFn: () => loadGuidePage(page),
    staleTime: Infinity,
  })
  const { open } = useTour()
  const isRead = typeof data === 'string'
  useEffect(() => {
    if (!isRead) return
    const target = document.getElementById(at ?? 'page')
    target?.scrollIntoView()
    if (at !== undefined) target?.focus()
    else if (target !== null) target.scrollTop = 0
  }, [isRead, page, at])
  const title = GUIDE_CONTENTS.find(({ name }) => name === page)?.label ?? WORDS.guide
  return (
    <Page title={title} aside={<Button onClick={open}>{WORDS.tour}</Button>}>
      <div className={styles.layout}>
        <nav className={styles.contents} aria-label={WORDS.guide}>
          <ul>
            {GUIDE_CONTENTS.map(({ name, label }) => (
              <li key={name}>
                <Link to="/guide" search={{ page: name }} {...(name === page ? { 'aria-current': 'page' } : {})}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {isPending && <LoadingRows rows={12} />}
        {error !== null && <ErrorPanel error={error} what={WORDS.theGuide} />}
        {data === null && (
          <EmptyPanel title={WORDS.unknownPage}>
            <p>{WORDS.choosePage}</p>
          </EmptyPanel>
        )}
        {isRead && <GuideView markdown={data} page={page} />}
      </div>
    </Page>
  )
}
