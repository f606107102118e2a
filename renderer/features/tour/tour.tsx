import { Button, Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { RunResultPanel } from '../result/run-result.tsx'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'
import { useTour } from '../../stores/tour.ts'
import { useSmokeRun } from '../home/use-smoke-run.ts'
import { TourAsk } from './tour-ask.tsx'
import { TourRun } from './tour-run.tsx'
import { isIngested, stepBeside, TOUR_STEPS, tourJob, type TourStep } from './tour-steps.ts'
import { TOUR_WORDS as WORDS } from './tour-words.ts'
import styles from './tour.module.css'

/** Opens the tour once in a project without any run. */
function useFirstStart(): void {
  const { open } = useTour()
  const { pathname } = useLocation()
  const seen = useQuery(api.settings.panel.queryOptions()).data?.tour_seen
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data
  const jobs = useQuery(api.runs.jobs.queryOptions()).data
  const isFresh = runs?.total === runs?.samples.length && jobs?.length === 0
  const isFirst = seen === false && runs !== undefined && isFresh && pathname === '/'
  useEffect(() => {
    if (isFirst) open()
  }, [isFirst, open])
}

/** The first-start tour; nothing while a person votes blindly, as it names approaches. */
export function Tour() {
  return useBlind() ? null : <TourDialog />
}

function TourDialog() {
  useFirstStart()
  const { isOpen, close } = useTour()
  const isNarrow = useMediaQuery('(max-width: 600px)')
  const remember = useMutation(
    api.settings.savePanel.mutationOptions({
      meta: { failed: WORDS.saving, returns: api.settings.panel.queryKey() },
    }),
  )
  const leave = (): void => {
    close()
    remember.mutate({ tour_seen: true })
  }
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={WORDS.title}
      size={880}
      centered
      fullScreen={isNarrow}
      // A click beside it would end the tour by accident.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': WORDS.skip }}
    >
      {isOpen && <TourBody onLeave={leave} />}
    </Modal>
  )
}

function TourBody({ onLeave }: { onLeave: () => void }) {
  const { step, goTo, run: started, setRun } = useTour()
  const { smoke, approaches, start, isStarting } = useSmokeRun({ onStarted: setRun })
  const jobs = useQuery(api.runs.jobs.queryOptions()).data ?? []
  const job = tourJob(jobs, { started, dataset: smoke?.id })
  const head = useRef<HTMLHeadingElement>(null)
  // A keyboard and a screen reader go on where a step begins.
  useEffect(() => head.current?.focus(), [step])
  const [before, after] = [stepBeside(step, -1), stepBeside(step, 1)]
  const held = step === 'run' && !isIngested(job)
  return (
    <div className={styles.body}>
      <ol className={styles.steps} aria-label={WORDS.steps}>
        {TOUR_STEPS.map((each) => (
          <li
            key={each}
            data-done={TOUR_STEPS.indexOf(each) <= TOUR_STEPS.indexOf(step)}
            aria-current={each === step ? 'step' : undefined}
          >
            <span className="hidden-text">{WORDS.heads[each]}</span>
          </li>
        ))}
      </ol>
      <div>
        <p className="dim">{WORDS.stepOf(TOUR_STEPS.indexOf(step) + 1, TOUR_STEPS.length)}</p>
        <h3 ref={head} tabIndex={-1} data-autofocus>
          {WORDS.heads[step]}
        </h3>
      </div>
      {step === 'purpose' && (
        <div className={styles.text}>
          <p>{WORDS.purpose.what}</p>
          <p>{WORDS.purpose.how}</p>
          <p className="dim">
            {WORDS.purpose.local} {WORDS.againAbout}
          </p>
        </div>
      )}
      {step === 'run' && smoke !== undefined && (
        <TourRun {...{ job, start, isStarting }} dataset={smoke} approaches={approaches.length} />
      )}
      {step === 'read' && <TourRead run={job?.run_id} />}
      {step === 'ask' && smoke !== undefined && (
        <TourAsk dataset={smoke.id} approaches={approaches} onLeave={onLeave} />
      )}
      <div className={styles.buttons}>
        {after === null ? <span /> : <SkipButton onLeave={onLeave} />}
        {before !== null && <Button onClick={() => goTo(before)}>{WORDS.back}</Button>}
        {after === null ? (
          <Button onClick={onLeave}>{WORDS.finish}</Button>
        ) : (
          <NextButton step={step} held={held} onNext={() => goTo(after)} />
        )}
      </div>
    </div>
  )
}

function SkipButton({ onLeave }: { onLeave: () => void }) {
  return (
    <Button variant="subtle" onClick={onLeave}>
      {WORDS.skip}
    </Button>
  )
}

function NextButton({ step, held, onNext }: { step: TourStep; held: boolean; onNext: () => void }) {
  return (
    <Button
      variant={step === 'run' && held ? 'default' : 'filled'}
      disabled={held}
      title={held ? WORDS.run.needed : undefined}
      onClick={onNext}
    >
      {WORDS.next}
    </Button>
  )
}

/** The sentences of the run, as in its tab Verdict. */
function TourRead({ run }: { run: string | undefined }) {
  const list = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data
  const isIndexed = list?.runs.some(({ run_id: id }) => id === run) === true
  return (
    <div className={styles.text}>
      <p>{WORDS.read.what}</p>
      {run === undefined || !isIndexed ? (
        <p role="status">{WORDS.read.waiting}</p>
      ) : (
        <RunResultPanel run={run} isPrimary={false} />
      )}
    </div>
  )
}
