import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { Panel } from '../../components/states.tsx'
import { usePreferences } from '../../stores/preferences.ts'
import styles from './settings.module.css'

/** Light or dark, wide or dense; kept in this browser. */
export function LookPanel() {
  // Holding transitions back would write a `<style>` element, which the content-security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const { density, setDensity } = usePreferences()
  return (
    <Panel title="Look">
      <div className={styles.look}>
        <SegmentedControl
          size="xs"
          aria-label="Colours"
          data={[
            { value: 'auto', label: 'As the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
        />
        <SegmentedControl
          size="xs"
          aria-label="Density"
          data={[
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ]}
          value={density}
          onChange={(value) => setDensity(value)}
        />
      </div>
    </Panel>
  )
}
