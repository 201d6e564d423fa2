;; Emacs with eglot talks to `devlint server`: findings arrive, a quick fix and fixes on save are applied.
;; Run in a folder with a.py by tests/editors/run.py, which reads what is written to out.json.
(require 'package)
(package-initialize)
(require 'eglot)
(require 'json)
(require 'python)

(setq eglot-sync-connect 30
      eglot-confirm-server-initiated-edits nil
      coding-system-for-read 'utf-8
      make-backup-files nil)
(load (expand-file-name "documented") nil t t)

(defun await (what test)
  (let ((deadline (+ (float-time) 60)))
    (while (not (funcall test))
      (when (> (float-time) deadline) (error "No %s" what))
      ;; Idle timers, which send changes, do not run in batch mode.
      (eglot--signal-textDocument/didChange)
      (accept-process-output nil 0.1)
      (flymake-start))))

(defun found ()
  (sort (mapcar (lambda (each)
                  (save-excursion
                    (goto-char (flymake-diagnostic-beg each))
                    `((line . ,(line-number-at-pos))
                      (column . ,(1+ (- (point) (line-beginning-position))))
                      (text . ,(flymake-diagnostic-text each)))))
                (flymake-diagnostics))
        (lambda (one other) (< (alist-get 'line one) (alist-get 'line other)))))

(defun talk ()
  (find-file "a.py")
  (python-mode)
  (call-interactively #'eglot)
  (await "diagnostics" #'flymake-diagnostics)
  (let ((first (found)))
    (goto-char (point-min))
    (forward-line (1- (alist-get 'line (car first))))
    (let ((quick (append (eglot-code-actions (point) (line-end-position) "quickfix") nil)))
      (eglot--apply-workspace-edit (plist-get (car quick) :edit))
      (await "end of the first finding" (lambda () (= (length (found)) (1- (length first)))))
      (set-buffer-modified-p t)
      (save-buffer)
      (await "end of the findings" (lambda () (null (found))))
      `((found . ,(vconcat first))
        (titles . ,(vconcat (mapcar (lambda (each) (plist-get each :title)) quick)))
        (left . ,(length (found)))))))

(let* ((failed nil)
       (seen (condition-case why (talk)
               (error (setq failed t) `((error . ,(error-message-string why)))))))
  (let ((coding-system-for-write 'utf-8))
    (write-region (json-encode seen) nil "out.json" nil 'quiet))
  (kill-emacs (if failed 1 0)))
