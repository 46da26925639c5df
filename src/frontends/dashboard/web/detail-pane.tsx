// The pane next to a list that shows the details of its selected item.
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatJson } from './text-format.ts';
import { Icon } from './view-icons.tsx';

interface DetailPaneProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const DetailPane = ({ title, onClose, actions, children }: DetailPaneProps): VNode => {
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const closeOnEscape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      onClose();
      if (opener instanceof HTMLElement) opener.focus();
    };
    addEventListener('keydown', closeOnEscape);
    return () => removeEventListener('keydown', closeOnEscape);
  }, []);
  return (
    <aside class="pane" ref={pane} aria-label={title}>
      <header class="pane-head">
        <button class="button-icon" type="button" aria-label="Close details" onClick={onClose}>
          <Icon name="close" />
        </button>
        <h2>{title}</h2>
        <div class="pane-actions">{actions}</div>
      </header>
      <div class="pane-body" tabIndex={0} role="region" aria-label={`Details of ${title}`}>
        {children}
      </div>
    </aside>
  );
};

export const Facts = ({ children }: { readonly children: ComponentChildren }): VNode => (
  <dl class="facts">{children}</dl>
);

/** A name and a value; renders nothing if the value is empty. */
export const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children?: ComponentChildren;
}): VNode | null =>
  children === '' || children === undefined ? null : (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );

export const JsonText = ({
  title,
  value,
}: {
  readonly title: string;
  readonly value: unknown;
}): VNode => (
  <section>
    <h3>{title}</h3>
    <pre class="text" tabIndex={0}>
      {formatJson(value)}
    </pre>
  </section>
);
