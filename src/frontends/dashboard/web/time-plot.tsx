// A plot of values over the last hour, drawn by uPlot in the colours of the theme.
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatClock, formatMinute } from './text-format.ts';
import { shownTheme } from './theme.ts';

export interface PlotSeries {
  readonly label: string;
  /** The name of a CSS variable, such as `--accent`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface TimePlotProps {
  readonly title: string;
  readonly unit: string;
  /** Unix milliseconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  /** One sentence with the values, for screen readers. */
  readonly summary: string;
}

const HEIGHT = 156;
/** A shorter range of time has ticks with seconds. */
const SHORT_SECONDS = 300;

/** The shortest range: with one value, the axis would have the same tick several times. */
const MIN_SECONDS = 60;

const readColor = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const formatTick = (value: number): string =>
  value >= 1_000 ? `${Math.round(value / 100) / 10}k` : String(Math.round(value * 100) / 100);

const buildOptions = (
  width: number,
  unit: string,
  series: readonly PlotSeries[],
): uPlot.Options => {
  const axis = {
    stroke: readColor('--muted'),
    font: '11px system-ui, sans-serif',
    ticks: { show: false },
    grid: { stroke: readColor('--line'), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false },
    scales: {
      x: { range: (_plot, min, max) => [Math.min(min, max - MIN_SECONDS), max] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, (max || 0) * 1.15)] },
    },
    axes: [
      {
        ...axis,
        space: 70,
        size: 30,
        values: (_plot, ticks) => {
          const isShort = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) < SHORT_SECONDS;
          const format = isShort ? formatClock : formatMinute;
          return ticks.map((tick) => format(tick * 1_000));
        },
      },
      {
        ...axis,
        size: 48,
        values: (_plot, ticks) => ticks.map((tick) => `${formatTick(tick)}${unit}`),
      },
    ],
    series: [
      {},
      ...series.map(({ label, color }): uPlot.Series => {
        const stroke = readColor(color);
        return { label, stroke, width: 2, fill: `${stroke}1f`, points: { show: false } };
      }),
    ],
  };
};

export const TimePlot = ({ title, unit, times, series, summary }: TimePlotProps): VNode => {
  const frame = useRef<HTMLDivElement>(null);
  const shape = `${shownTheme.value} ${series.map(({ label }) => label).join()}`;
  const plot = useRef<uPlot | undefined>(undefined);
  const data = [
    times.map((time) => time / 1_000),
    ...series.map(({ values }) => [...values]),
  ] as uPlot.AlignedData;
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const created = new uPlot(buildOptions(element.clientWidth, unit, series), data, element);
    plot.current = created;
    const observer = new ResizeObserver(() =>
      created.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [times, series]);
  return (
    <section class="plot">
      <header class="plot-head">
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ label, color, values }) => (
            <li key={label}>
              <span
                class="legend-mark"
                style={{ background: `var(${color})` }}
                aria-hidden="true"
              />
              {label}{' '}
              <strong>
                {formatTick(values.findLast((value) => value !== null) ?? 0)}
                {unit}
              </strong>
            </li>
          ))}
        </ul>
      </header>
      <div ref={frame} role="img" aria-label={summary} />
    </section>
  );
};
